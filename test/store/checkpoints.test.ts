import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CheckpointPart, CheckpointStart } from '../../controller/results/state/records.ts';
import { CheckpointStore } from '../../controller/results/writing/checkpoint-store.ts';
import { newMonitorState } from '../../controller/verdicts/monitor-rules.ts';
import { NEW_REGION } from '../../controller/verdicts/votes/region-rules.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { testMongo } from '../helpers/mongo.ts';
import { configOf } from '../unit/results/build.ts';

const SHARD = 101;

let store: Awaited<ReturnType<typeof testMongo>>;
let mongo: ReturnType<typeof checkedMongo>;
let checkpoints: CheckpointStore;

beforeAll(async () => {
  store = await testMongo();
  mongo = checkedMongo(store.url);
  checkpoints = new CheckpointStore(mongo.db);
});
beforeEach(() => mongo.db.collection('checkpoints').deleteMany({}));
afterAll(async () => {
  await mongo.close();
  await store.stop();
});

const startAt = (n: number): CheckpointStart => ({
  n, taken_at: n * 1000, lanes: [{ lane: 'p/e', position: n, moved_at: n * 1000 }], pings: [{ id: 'ping', n }],
});

/** States with what JSON and other databases lose: nulls, hours by number, and fractions. */
function partOf(ids: string[], position: number): CheckpointPart {
  return ids.map((monitor_id, at) => {
    const config = { ...configOf({ shard: 2 }), monitor_id };
    const regions = { eu: { ...NEW_REGION, verdict: 'up' as const, last_at: 5, response_time_ms: 0.1 + at } };
    const state = { ...newMonitorState(config), regions, accounted: { 3_600_000: [1, 2, 3] as [number, number, number] } };
    return { monitor_id, position, unsaved_from: position - 1, state };
  });
}

async function write(n: number, ...parts: CheckpointPart[]): Promise<void> {
  const writer = await checkpoints.begin(SHARD, startAt(n));
  for (const part of parts) await writer.add(part);
  await writer.finish();
}

const count = () => mongo.db.collection('checkpoints').countDocuments({});

test('a checkpoint is read as it was written, in any number of parts', async () => {
  const [one, other] = [partOf(['a', 'b'], 7), partOf(['c'], 9)];
  await write(5, one, other);
  const { states, ...start } = (await checkpoints.load(SHARD, 4))!;
  expect(start).toEqual(startAt(5));
  expect(states).toEqual([...one, ...other]);
  expect(await checkpoints.load(SHARD, 5)).toBeNull();
  expect(await checkpoints.load(10, 0)).toBeNull();
});

test('a later checkpoint replaces the parts of earlier ones, and of those that were not finished', async () => {
  const dead = await checkpoints.begin(SHARD, startAt(3));
  await dead.add(partOf(['a'], 4));
  expect(await checkpoints.load(SHARD, 0)).toBeNull();
  await write(5, partOf(['a'], 6), partOf(['b'], 6));
  await write(8, partOf(['a'], 8));
  expect(await count()).toBe(2);
  // A former owner that was suspended finishes an earlier one.
  await dead.finish();
  expect((await checkpoints.load(SHARD, 0))?.n).toBe(8);
});

test('a checkpoint without one of its parts is not used', async () => {
  await write(5, partOf(['a'], 6), partOf(['b'], 6));
  const [part] = await mongo.db.collection<{ _id: string }>('checkpoints').find({ parts: { $exists: false } }).toArray();
  await mongo.db.collection<{ _id: string }>('checkpoints').deleteOne({ _id: part?._id ?? '' });
  expect(await checkpoints.load(SHARD, 0)).toBeNull();
});
