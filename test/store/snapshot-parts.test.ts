import { calculateObjectSize } from 'bson';
import type { Db } from 'mongodb';
import { expect, test } from 'vitest';
import type { LanePosition, Snapshot } from '../../controller/results/state/records.ts';
import { SnapshotStore } from '../../controller/results/writing/snapshot-store.ts';
import { withMongo } from './with-mongo.ts';

const SHARD = 3;
const mongo = withMongo();
let serial = 0;

function freshDb(): Db {
  return mongo.client.db(`${mongo.db.databaseName}_${++serial}`);
}

function snapshotOf(n: number, count: number): Snapshot {
  const lanes = Array.from({ length: count }, (_, at): LanePosition => ({
    lane: `0199f0a2-7c11-7d3e-8a55-3f1f0c9b2a10/${String(at).padStart(64, 'e')}`, position: n + at, moved_at: at,
  }));
  return { n, lanes, taken_at: n };
}

async function idsIn(db: Db): Promise<string[]> {
  const docs = await db.collection<{ _id: string }>('snapshots').find({}).sort({ _id: 1 }).toArray();
  return docs.map(({ _id }) => _id.replace(/:[0-9a-f]{16}:/, ':token:'));
}

/** A store that runs a callback after it reads a head and before its next read. */
function interrupted(db: Db, act: () => Promise<void>): SnapshotStore {
  return new SnapshotStore({
    collection: (...args: Parameters<Db['collection']>) => {
      const real = db.collection(...args);
      return new Proxy(real, { get: (target, key: keyof typeof real) => {
        if (key !== 'findOne') return (target[key] as () => unknown).bind(target);
        return async (...query: Parameters<typeof real.findOne>) => {
          const found = await real.findOne(...query);
          await act();
          return found;
        };
      } });
    },
  } as unknown as Db);
}

test('a snapshot with many lanes is split into documents of bounded size', async () => {
  const db = freshDb();
  const store = new SnapshotStore(db);
  await store.move(SHARD, snapshotOf(70, 4500));
  expect(await store.load(SHARD)).toEqual(snapshotOf(70, 4500));
  expect(await store.numbers([SHARD, 4])).toEqual(new Map([[SHARD, 70]]));
  const docs = await db.collection('snapshots').find({}).toArray();
  expect(docs).toHaveLength(3);
  for (const doc of docs) expect(calculateObjectSize(doc)).toBeLessThan(500_000);
});

test('the parts of earlier snapshots are removed, and those of other shards stay', async () => {
  const db = freshDb();
  const store = new SnapshotStore(db);
  await store.move(SHARD, snapshotOf(70, 4500));
  await store.move(4, snapshotOf(60, 2001));
  await store.move(SHARD, snapshotOf(140, 2001));
  expect(await idsIn(db)).toEqual([
    '03', '03:00000000000140:token:000000', '04', '04:00000000000060:token:000000',
  ]);
  await store.move(SHARD, snapshotOf(210, 5));
  expect(await idsIn(db)).toEqual(['03', '04', '04:00000000000060:token:000000']);
  expect(await store.load(4)).toEqual(snapshotOf(60, 2001));
});

test('a crash between two of the writes leaves a snapshot that can be loaded', async () => {
  const db = freshDb();
  const store = new SnapshotStore(db);
  const parts = db.collection<{ _id: string; lanes: LanePosition[] }>('snapshots');
  await store.move(SHARD, snapshotOf(70, 4500));
  const before = await parts.find({ _id: { $gt: '03:' } }).toArray();
  // A crash after the parts: they exist, but the head does not.
  await parts.insertOne({ _id: '03:00000000000140:feedfeedfeedfeed:000000', lanes: [] });
  expect(await store.load(SHARD)).toEqual(snapshotOf(70, 4500));
  // A crash after the head: the earlier parts still exist.
  await store.move(SHARD, snapshotOf(141, 4500));
  await parts.insertMany(before);
  expect(await store.load(SHARD)).toEqual(snapshotOf(141, 4500));
  await store.move(SHARD, snapshotOf(210, 1));
  expect(await idsIn(db)).toEqual(['03']);
});

test('a suspended controller that moves an older snapshot does no harm', async () => {
  const db = freshDb();
  const store = new SnapshotStore(db);
  await store.move(SHARD, snapshotOf(140, 4500));
  await store.move(SHARD, snapshotOf(70, 4200));
  await store.move(SHARD, { ...snapshotOf(140, 4500), lanes: snapshotOf(140, 2500).lanes });
  expect(await store.load(SHARD)).toEqual(snapshotOf(140, 4500));
});

test('a snapshot that moves while it is loaded is read again', async () => {
  const db = freshDb();
  const store = new SnapshotStore(db);
  await store.move(SHARD, snapshotOf(70, 4500));
  let moves = 0;
  const reader = interrupted(db, async () => {
    moves += 1;
    if (moves < 3) await store.move(SHARD, snapshotOf(70 + moves, 4500));
  });
  expect(await reader.load(SHARD)).toEqual(snapshotOf(72, 4500));
});

test('a snapshot with missing parts is not accepted as complete', async () => {
  const db = freshDb();
  const store = new SnapshotStore(db);
  await store.move(SHARD, snapshotOf(70, 4500));
  await db.collection<{ _id: string }>('snapshots').deleteMany({ _id: { $gt: '03:' } });
  await expect(store.load(SHARD)).rejects.toThrow('parts of the snapshot of shard 3 are missing');
});
