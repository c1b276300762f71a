import { beforeAll, expect, test } from 'vitest';
import type { PlannedChange } from '../../controller/assignments/assignment-doc.ts';
import { HeadStore } from '../../controller/assignments/head-store.ts';
import { AssignmentHistoryCache } from '../../controller/assignments/assignment-history-cache.ts';
import { sweepTombstones } from '../../controller/assignments/rebalancer.ts';
import { AssignmentStore } from '../../controller/assignments/store.ts';
import { SecretBox } from '../../controller/secrets/secret-box.ts';
import { AssignmentWriter } from '../../controller/assignments/writer.ts';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import { derivedId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { until } from '../helpers/until.ts';
import { withCheckedMongo } from './with-mongo.ts';

const REFRESH_MS = 5000;
const commands: { name: string; pairs: number }[] = [];
const mongo = withCheckedMongo((command) => {
  if (command['find'] !== 'assignments') return;
  const { _id: ids } = command['filter'] as { _id?: { $in?: string[] } };
  if (ids?.$in) commands.push({ name: 'pairs', pairs: ids.$in.length });
});
const clock = new SimulatedClock();
const log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent');
let items: AssignmentStore;
let heads: HeadStore;
let writer: AssignmentWriter;

beforeAll(async () => {
  items = new AssignmentStore(mongo.db, SecretBox.of('test'));
  heads = new HeadStore(mongo.db);
  writer = new AssignmentWriter({ items, heads, clock });
  await items.ensureIndexes();
});

const monitor = (at: number) => derivedId('m', at);
let revisions = 0;

function planned(probe_id: string, at: number, isGone: boolean): PlannedChange {
  revisions += 1;
  const assignment: Assignment = {
    monitor_id: monitor(at), organization_id: 'o', project_id: 'p', assignment_rev: revisions,
    interval_ms: 1000, timeout_ms: 1, phase_ms: 0, retries: 0, allow_private: true, spec: { type: 'X' },
  };
  return {
    probe_id, organization_id: 'o', monitor_id: monitor(at), region: 'r', monitor_rev: revisions,
    assignment: isGone ? null : assignment,
  };
}

const give = (probe: string, ...monitors: number[]) =>
  writer.change(probe, monitors.map((at) => planned(probe, at, false)));
const take = (probe: string, ...monitors: number[]) =>
  writer.change(probe, monitors.map((at) => planned(probe, at, true)));

async function startCache(isOurs: (monitorId: string) => boolean = () => true): Promise<AssignmentHistoryCache> {
  const assignments = new AssignmentHistoryCache({ items, heads, isOurs, clock, log });
  await assignments.start();
  return assignments;
}

/** Advances the clock past poll intervals until the condition holds. */
const becomes = (what: () => boolean) => until(async () => {
  await clock.advance(REFRESH_MS);
  return what();
}, { what: 'the change is known' });

test('a pair is unknown until it is read, and one that never existed stays unknown', async () => {
  await give('a', 1, 2);
  await take('a', 2);
  const lostAt = clock.now();
  const assignments = await startCache();
  expect([1, 2, 3].map((at) => assignments.until('a', monitor(at)))).toEqual([undefined, undefined, undefined]);
  const found = await assignments.read('a', [1, 2, 3].map(monitor));
  expect(found).toEqual(new Map([[monitor(1), Infinity], [monitor(2), lostAt], [monitor(3), null]]));
  expect([1, 2, 3].map((at) => assignments.until('a', monitor(at)))).toEqual([Infinity, lostAt, undefined]);
  await assignments.stop();
});

test('an assignment is found before its probe can have received it', async () => {
  const assignments = await startCache();
  await items.stage([planned('staged', 1, false)], 'token', clock.now());
  expect(await assignments.read('staged', [monitor(1)])).toEqual(new Map([[monitor(1), Infinity]]));
  await assignments.stop();
});

test('pairs follow their changes, in both directions, without being read again', async () => {
  await give('b', 1, 2);
  const assignments = await startCache();
  await assignments.read('b', [monitor(1)]);
  const reads = commands.length;
  await take('b', 1);
  const lostAt = clock.now();
  await becomes(() => assignments.until('b', monitor(1)) === lostAt);
  await give('b', 1, 3);
  await becomes(() => assignments.until('b', monitor(1)) === Infinity);
  expect(assignments.until('b', monitor(3))).toBe(Infinity);
  expect(commands.length).toBe(reads);
  await assignments.stop();
});

test('the revision of a probe\'s set is known after the next poll, and is 0 for a probe without assignments', async () => {
  const assignments = await startCache();
  await give('revised', 1);
  const { head } = await heads.find('revised');
  await becomes(() => assignments.revisionOf('revised') === head);
  expect([head, assignments.revisionOf('stranger')]).toEqual([1, 0]);
  await assignments.stop();
});

test('the pairs of other controllers\' monitors are not cached unless they are requested', async () => {
  const assignments = await startCache((id) => id === monitor(1));
  await give('c', 1, 2);
  await becomes(() => assignments.until('c', monitor(1)) === Infinity);
  expect(assignments.until('c', monitor(2))).toBeUndefined();
  await assignments.stop();
});

test('a change that was begun while its writer died is not missed', async () => {
  await give('d', 1);
  const assignments = await startCache();
  await assignments.read('d', [monitor(1)]);
  await items.stage([planned('d', 1, true)], 'dead', clock.now());
  await clock.advance(60_000);
  await writer.recommit(clock.now());
  await becomes(() => assignments.until('d', monitor(1)) !== Infinity);
  await assignments.stop();
});

test('a removed probe has no assignments', async () => {
  await give('e', 1);
  const assignments = await startCache();
  await assignments.read('e', [monitor(1)]);
  await items.removeProbe('e');
  await heads.drop('e');
  await becomes(() => assignments.until('e', monitor(1)) === undefined);
  await assignments.stop();
});

test('many pairs requested at once take one query', async () => {
  await give('f', 1, 2, 3);
  const assignments = await startCache();
  commands.length = 0;
  const reads = Array.from({ length: 40 }, async (_, at) => assignments.read('f', [monitor(at), monitor(at + 100)]));
  expect(await reads[1]).toEqual(new Map([[monitor(1), Infinity], [monitor(101), null]]));
  await Promise.all(reads);
  expect(commands).toEqual([{ name: 'pairs', pairs: 80 }]);
  commands.length = 0;
  const manyIds = Array.from({ length: 25 }, (_, at) => Array.from({ length: 100 }, (_each, of) => `${at}-${of}`));
  await Promise.all(manyIds.map(async (ids, at) => assignments.read(`many-${at}`, ids)));
  expect(commands.map(({ pairs }) => pairs)).toEqual([1000, 1000, 500]);
  await assignments.stop();
});

test('lookups for a probe that names others\' monitors are limited, and delay no other probe', async () => {
  const warned: object[] = [];
  const loud = Object.assign(Object.create(log) as typeof log, { warn: (fields: object) => warned.push(fields) });
  await give('honest', 1);
  const assignments = new AssignmentHistoryCache({ items, heads, isOurs: () => true, clock, log: loud });
  await assignments.start();
  const lie = (part: number) =>
    assignments.read('liar', Array.from({ length: 100 }, (_, at) => derivedId('lie', part, at)));
  let parts = 0;
  for (let batch = lie(0); batch; batch = lie(parts)) {
    await batch;
    parts += 1;
  }
  expect(parts).toBe(10);
  expect(assignments.counts).toEqual({ lookups: 1000, declined: 1 });
  expect(warned).toEqual([{ probe_id: 'liar' }]);
  expect(await assignments.read('honest', [monitor(1)])).toEqual(new Map([[monitor(1), Infinity]]));
  await clock.advance(1000);
  expect((await lie(0))?.size).toBe(100);
  await assignments.stop();
});

test('an honest probe is never limited, however many monitors it has', async () => {
  const many = Array.from({ length: 1500 }, (_, at) => 1000 + at);
  await give('large', ...many);
  const assignments = await startCache();
  for (let at = 0; at < many.length; at += 100) {
    const found = await assignments.read('large', many.slice(at, at + 100).map(monitor));
    expect([...(found?.values() ?? [])]).toEqual(Array.from({ length: 100 }, () => Infinity));
  }
  expect(assignments.counts.declined).toBe(0);
  await assignments.stop();
});

test('a former assignment is known until its tombstone is removed', async () => {
  await give('g', 1, 2);
  await take('g', 1);
  const lostAt = clock.now();
  const assignments = await startCache();
  await sweepTombstones({ items, heads }, 'g', lostAt);
  expect(await assignments.read('g', [monitor(1)])).toEqual(new Map([[monitor(1), lostAt]]));
  await assignments.stop();
  await sweepTombstones({ items, heads }, 'g', lostAt + 1);
  const later = await startCache();
  expect(await later.read('g', [monitor(1), monitor(2)])).toEqual(
    new Map([[monitor(1), null], [monitor(2), Infinity]]),
  );
  await later.stop();
});
