import { describe, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { DeadLetterStore } from '../../controller/results/dead-letters/dead-letter-store.ts';
import { HourStore } from '../../controller/results/hours/hour-store.ts';
import { type JournalEntry, JournalStore } from '../../controller/results/journal/journal-store.ts';
import { LeaseStore } from '../../controller/results/shards/lease-store.ts';
import { SnapshotStore } from '../../controller/results/writing/snapshot-store.ts';
import { StateStore } from '../../controller/results/writing/state-store.ts';
import { MongoStatusHistory } from '../../controller/results/writing/status-history-store.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { rollupOf } from '../../controller/results/hours/rollup.ts';
import type { HourRecord } from '../../controller/results/hours/hour-record.ts';
import type { LanePosition, StateRecord } from '../../controller/results/state/records.ts';
import { newMonitorState } from '../../controller/verdicts/monitor-rules.ts';
import { SimulatedDatabase } from '../simulation/simulated-database.ts';
import { simulatedStores, type ControllerStores } from '../simulation/simulated-stores.ts';
import { batchOf, configOf, HOUR, idIn, resultOf, storedOf } from '../unit/results/build.ts';
import { withMongo } from './with-mongo.ts';

type Stores = Pick<ControllerStores, 'journal' | 'snapshots' | 'states' | 'hours' | 'leases'>;

const HOUR_MS = 3_600_000;
const DAY = HOUR - (HOUR % (24 * HOUR_MS));
const MONITOR = configOf({ shard: 2 });
const mongo = withMongo();
let serial = 0;

const SOURCES: [name: string, make: () => Stores][] = [
  ['MongoDB', () => {
    const db = mongo.client.db(`${mongo.db.databaseName}_${++serial}`);
    return {
      journal: new JournalStore(db), snapshots: new SnapshotStore(db), states: new StateStore(db),
      hours: new HourStore(db), leases: new LeaseStore(db),
    };
  }],
  ['the simulation', () => simulatedStores(new SimulatedDatabase(), {
    read: async (read) => read(),
    write: async (parts, read) => {
      for (const part of parts) part();
      return read();
    },
  })],
];

function lanesOf(positions: Record<string, number>): LanePosition[] {
  return Object.entries(positions).map(([lane, position]) => ({ lane, position, moved_at: HOUR }));
}

function entryOf(n: number, overrides: Partial<JournalEntry> = {}): JournalEntry {
  return {
    shard: 2, n, v: 1, writer: 'a', taken_at: HOUR + n, configs: [], batches: [], pings: [], clock: [],
    lanes: [], ...overrides,
  };
}

function fullEntry(n: number): JournalEntry {
  const batch = batchOf([
    resultOf(MONITOR, { seq: 1 }),
    resultOf(MONITOR, { seq: 2, outcome: 'failure', started_at: HOUR + 60_000 }),
  ]);
  return entryOf(n, {
    configs: [MONITOR],
    batches: [
      { probe_id: 'p', region: 'eu', bytes: encodeBatch(batch), batch, refused: [2], late: [1] },
      { probe_id: 'q', region: 'eu', bytes: encodeBatch(batch), batch, refused: [], late: [], muted: true },
    ],
    clock: [
      { kind: 'assigned', monitor_id: 'm', assigned: ['eu', 'us'], domains: null, at: HOUR },
      {
        kind: 'witness', monitor_id: 'm', region: 'ap', check_revision: 1,
        witness: { vote: 'up', probe_id: 'p', engine: '1', error: null, attempt: 1, at: HOUR },
      },
      { kind: 'alone', monitor_id: 'm', at: HOUR },
      { kind: 'hour', until: HOUR },
      { kind: 'silent', monitor_id: MONITOR.monitor_id, region: 'eu', at: HOUR },
    ], lanes: [{ lane: 'p/e', position: 2 }],
  });
}

function stateOf(position: number, overrides: Partial<StateRecord> = {}): StateRecord {
  return {
    monitor_id: MONITOR.monitor_id, shard: 2, position, outbox: [],
    state: { ...newMonitorState(MONITOR), accounted: { [HOUR]: [position, 2, 3] } }, ...overrides,
  };
}

function hourOf(position: number, overrides: Partial<HourRecord> = {}): HourRecord {
  const rows = ResultColumns.of(Array.from(
    { length: position },
    (_, at) => storedOf({ started_at: HOUR + at * 1000, scheduled_at: HOUR + at * 1000 }),
  ));
  return {
    monitor_id: MONITOR.monitor_id, hour: HOUR, position, rows,
    rollup: rollupOf(rows, [position * 1000, 0, 0], 60_000), ...overrides,
  };
}

describe.each(SOURCES)('the journal in %s', (name, make) => {
  test('returns its entries in order, page by page', async () => {
    const { journal } = make();
    const entries = [entryOf(9), fullEntry(10), entryOf(11, { writer: 'b' }), entryOf(100)];
    expect(await journal.insert([...entries].reverse())).toEqual([
      'written', 'written', 'written', 'written',
    ]);
    await journal.insert([entryOf(10, { shard: 1 }), entryOf(10, { shard: 3 })]);
    expect((await journal.read(2, 0, 10)).map((entry) => ({
      ...entry, batches: entry.batches.map(({ bytes, ...rest }) => ({ ...rest, bytes: [...bytes] })),
    })))
      .toEqual(entries.map((entry) => ({
        ...entry, batches: entry.batches.map(({ bytes, ...rest }) => ({ ...rest, bytes: [...bytes] })),
      })));
    expect((await journal.read(2, 9, 2)).map(({ n }) => n)).toEqual([10, 11]);
    expect(await journal.read(4, 0, 10)).toEqual([]);
  });

  test('assigns a number to one writer, and recognizes that writer', async () => {
    const { journal } = make();
    await journal.insert([entryOf(1)]);
    expect(await journal.insert([entryOf(1)])).toEqual(['ours']);
    expect(await journal.insert([entryOf(1, { writer: 'b' })])).toEqual(['taken']);
    expect(await journal.insert([entryOf(1, { taken_at: HOUR + 5 })])).toEqual(['taken']);
    expect((await journal.read(2, 0, 10))[0]).toMatchObject({ writer: 'a', taken_at: HOUR + 1 });
  });

  test('reports the outcome of each entry of one command', async () => {
    const { journal } = make();
    await journal.insert([entryOf(1, { writer: 'b' }), entryOf(1, { shard: 3 })]);
    expect(await journal.insert([entryOf(1), entryOf(1, { shard: 3 }), entryOf(1, { shard: 4 })])).toEqual([
      'taken', 'ours', 'written',
    ]);
  });

  // The simulation has no size limit.
  test.skipIf(name === 'the simulation')('stores all other entries when the database rejects one', async () => {
    const { journal } = make();
    const huge = entryOf(1, { shard: 3, configs: [{ ...MONITOR, name: 'x'.repeat(17 * 2 ** 20) }] });
    const outcomes = await journal.insert([entryOf(1), huge, entryOf(1, { shard: 4 })]);
    expect(outcomes).toEqual(['written', 'refused', 'written']);
    expect(await journal.read(3, 0, 10)).toEqual([]);
    expect(await journal.read(4, 0, 10)).toHaveLength(1);
  });

  test('deletes up to a number in one shard', async () => {
    const { journal } = make();
    await journal.insert([1, 2, 3, 10, 20].map((n) => entryOf(n)));
    await journal.insert([entryOf(1, { shard: 1 }), entryOf(1, { shard: 3 })]);
    await journal.deleteThrough(2, 10);
    expect((await journal.read(2, 0, 10)).map(({ n }) => n)).toEqual([20]);
    expect([(await journal.read(1, 0, 10)).length, (await journal.read(3, 0, 10)).length]).toEqual([1, 1]);
    expect(await journal.insert([entryOf(10, { writer: 'b' })])).toEqual(['written']);
  });
});

describe.each(SOURCES)('snapshots in %s', (_name, make) => {
  test('keep the time at which a lane last moved', async () => {
    const { snapshots } = make();
    const lanes = [{ lane: 'p/e', position: 4, moved_at: HOUR }, { lane: 'p.x/$f', position: 5, moved_at: HOUR + 1 }];
    const snapshot = { n: 10, lanes, taken_at: HOUR + 2 };
    await snapshots.move(2, snapshot);
    expect(await snapshots.load(2)).toEqual(snapshot);
  });

  test('only move forward', async () => {
    const { snapshots } = make();
    expect(await snapshots.load(2)).toEqual({ n: 0, lanes: [], taken_at: 0 });
    await snapshots.move(2, { n: 10, lanes: lanesOf({ 'p/e': 5, 'p.x/$f': 7 }), taken_at: HOUR });
    await snapshots.move(2, { n: 9, lanes: [], taken_at: 0 });
    await snapshots.move(2, { n: 10, lanes: [], taken_at: 0 });
    expect(await snapshots.load(2)).toEqual({ n: 10, lanes: lanesOf({ 'p/e': 5, 'p.x/$f': 7 }), taken_at: HOUR });
    await snapshots.move(2, { n: 11, lanes: lanesOf({ 'p/e': 6 }), taken_at: HOUR });
    await snapshots.move(3, { n: 1, lanes: [], taken_at: 0 });
    expect(await snapshots.load(2)).toEqual({ n: 11, lanes: lanesOf({ 'p/e': 6 }), taken_at: HOUR });
    expect(await snapshots.numbers([2, 3, 4])).toEqual(new Map([[2, 11], [3, 1]]));
  });
});

describe.each(SOURCES)('states in %s', (_name, make) => {
  test('are replaced only by later ones, with their outbox', async () => {
    const { states } = make();
    const change = {
      id: 'x', monitor_id: MONITOR.monitor_id, organization_id: 'o', project_id: 'p', from: 'up' as const,
      to: 'down' as const, at: 1, reason: 'r', incident_id: null,
    };
    await states.write([stateOf(5, { outbox: [{ kind: 'status', change }] })]);
    await states.write([stateOf(4)]);
    await states.write([stateOf(5)]);
    expect(await states.load(2)).toEqual([stateOf(5, { outbox: [{ kind: 'status', change }] })]);
    await states.write([stateOf(6), stateOf(1, { monitor_id: idIn(2, 1) })]);
    expect((await states.load(2)).map(({ position }) => position).sort()).toEqual([1, 6]);
    expect(await states.load(3)).toEqual([]);
  });

  test('are loaded from those after an entry', async () => {
    const { states } = make();
    await states.write([stateOf(5), stateOf(8, { monitor_id: idIn(2, 1) }), stateOf(9, { monitor_id: idIn(3, 1), shard: 3 })]);
    expect((await states.load(2, 4)).map(({ position }) => position).sort()).toEqual([5, 8]);
    expect((await states.load(2, 5)).map(({ position }) => position)).toEqual([8]);
    expect(await states.load(2, 8)).toEqual([]);
  });

  test('lose their outbox only at the given position', async () => {
    const { states } = make();
    const resolution = {
      kind: 'resolve' as const, resolution: { id: 'i', monitor: MONITOR, resolved_at: 1, failure_count: 1 },
    };
    await states.write([
      stateOf(5, { outbox: [resolution] }), stateOf(7, { monitor_id: idIn(2, 1), outbox: [resolution] }),
    ]);
    await states.clearOutboxes([
      { monitor_id: MONITOR.monitor_id, position: 5 }, { monitor_id: idIn(2, 1), position: 6 },
      { monitor_id: idIn(2, 2), position: 1 },
    ]);
    await states.clearOutboxes([]);
    expect((await states.load(2)).map(({ position, outbox }) => [position, outbox.length]).sort()).toEqual([
      [5, 0], [7, 1],
    ]);
  });

  test('are found by id and removed', async () => {
    const { states } = make();
    await states.write([stateOf(5)]);
    expect(await states.find([MONITOR.monitor_id, idIn(2, 1)])).toHaveLength(1);
    await states.remove([MONITOR.monitor_id]);
    expect(await states.find([MONITOR.monitor_id])).toEqual([]);
  });
});

describe.each(SOURCES)('hours in %s', (_name, make) => {
  const key = { monitor_id: MONITOR.monitor_id, hour: HOUR };

  test('are replaced only by later ones', async () => {
    const { hours } = make();
    expect(await hours.read([key])).toEqual([]);
    await hours.write([hourOf(5)]);
    await hours.write([hourOf(4), hourOf(3, { hour: HOUR + HOUR_MS })]);
    expect(await hours.read([key])).toEqual([hourOf(5)]);
    await hours.write([hourOf(6)]);
    expect(await hours.read([key, { ...key, hour: HOUR + HOUR_MS }])).toEqual(
      expect.arrayContaining([hourOf(6), hourOf(3, { hour: HOUR + HOUR_MS })]),
    );
  });

  test('without results have a rollup and no block', async () => {
    const { hours } = make();
    const empty =
      hourOf(7, { rows: ResultColumns.of([]), rollup: rollupOf(ResultColumns.of([]), [1000, 0, 0], 60_000) });
    await hours.write([empty]);
    expect(await hours.read([key])).toEqual([empty]);
  });
});

test('a day is the sum of its hours, and the results of a period can be read', async () => {
  const hours = new HourStore(mongo.client.db(`${mongo.db.databaseName}_${++serial}`));
  const all = [
    DAY - HOUR_MS, DAY, DAY + 9 * HOUR_MS, DAY + 10 * HOUR_MS, DAY + 23 * HOUR_MS, DAY + 24 * HOUR_MS,
  ].map((hour, at) => hourOf(at + 1, { hour }));
  await hours.write(all);
  await hours.rollDays([{ monitor_id: MONITOR.monitor_id, day: DAY, position: 9 }]);
  expect((await hours.days([{ monitor_id: MONITOR.monitor_id, day: DAY }]))[0]?.rollup).toMatchObject({
    total: 2 + 3 + 4 + 5, times: [14_000, 0, 0],
  });
  await hours.write([hourOf(20, { hour: DAY })]);
  await hours.rollDays([{ monitor_id: MONITOR.monitor_id, day: DAY, position: 8 }]);
  expect((await hours.days([{ monitor_id: MONITOR.monitor_id, day: DAY }]))[0]?.rollup.total).toBe(14);
  await hours.rollDays([{ monitor_id: MONITOR.monitor_id, day: DAY, position: 20 }]);
  expect((await hours.days([{ monitor_id: MONITOR.monitor_id, day: DAY }]))[0]?.rollup.total).toBe(
    20 + 3 + 4 + 5,
  );
  const stored = await hours.results(
    [8, 9, 10].map((at) => ({ monitor_id: MONITOR.monitor_id, hour: DAY + at * HOUR_MS })),
  );
  expect(stored.map(({ hour, rows }) => [(hour - DAY) / HOUR_MS, rows.length]).sort()).toEqual([
    [10, 4], [9, 3],
  ]);
  expect((await hours.hours([{ monitor_id: MONITOR.monitor_id, hour: DAY }]))[0]).toMatchObject({
    hour: DAY, position: 20,
  });
});

describe.each(SOURCES)('leases in %s', (_name, make) => {
  const sign = (renewed_at: number, is_cut_off = false) =>
    ({ renewed_at, renew_interval_ms: 1000, is_cut_off, life: 'one', version: '1.0.0' });

  test('can be taken when free, own or unchanged since they were found expired', async () => {
    const { leases } = make();
    expect(await leases.acquire(1, 'a', null, 100)).toBe(true);
    expect(await leases.acquire(1, 'a', null, 150)).toBe(true);
    expect(await leases.acquire(1, 'b', null, 300)).toBe(false);
    const dead = { shard: 1, holder: 'a', renewed_at: 150 };
    expect(await leases.list()).toEqual([dead]);
    expect(await leases.acquire(1, 'b', { ...dead, renewed_at: 100 }, 300)).toBe(false);
    expect(await leases.acquire(1, 'b', dead, 300)).toBe(true);
    expect(await leases.acquire(1, 'c', dead, 400)).toBe(false);
    await leases.renew([1, 2], 'a', sign(900));
    expect(await leases.list()).toEqual([{ shard: 1, holder: 'b', renewed_at: 300 }]);
    await leases.release([1], 'a');
    expect(await leases.list()).toHaveLength(1);
    await leases.release([1], 'b');
    expect(await leases.list()).toEqual([]);
  });

  test('list controllers until they leave or are removed as dead', async () => {
    const { leases } = make();
    const shown = async () => (await leases.list()).map(({ shard, holder }) => [shard, holder]);
    for (const holder of ['a', 'b', 'c']) await leases.announce(holder, sign(100));
    expect(await shown()).toEqual([[null, 'a'], [null, 'b'], [null, 'c']]);
    await leases.leave('b');
    const dead = { shard: null, holder: 'c', renewed_at: 100 };
    expect(await leases.renew([], 'c', sign(200, true))).toBe(true);
    expect((await leases.list()).find(({ holder }) => holder === 'c')).toEqual(
      { shard: null, holder: 'c', ...sign(200, true) },
    );
    await leases.removeDead(dead);
    expect(await shown()).toEqual([[null, 'a'], [null, 'c']]);
    await leases.removeDead({ ...dead, renewed_at: 200 });
    expect(await shown()).toEqual([[null, 'a']]);
    expect(await leases.renew([], 'c', sign(300))).toBe(false);
  });
});

test('dead letters and status changes are stored once', async () => {
  const db = mongo.client.db(`${mongo.db.databaseName}_${++serial}`);
  const letter = {
    id: 'l', reason: 'too_old' as const, shard: 1, region: 'eu', probe_id: 'p', epoch: null, seq: null,
    monitor_id: null, content: 'first', at: 1,
  };
  const letters = new DeadLetterStore(db);
  await letters.add([letter, letter]);
  await letters.add([{ ...letter, content: 'second' }, { ...letter, id: 'm' }]);
  await letters.add([]);
  expect((await db.collection('dead_letters').find({}).toArray()).map(
    ({ _id, content }) => [String(_id), content],
  ).sort())
    .toEqual([['l', 'first'], ['m', 'first']]);
  const history = new MongoStatusHistory(db);
  await history.ensureIndexes();
  const change = {
    id: 's', monitor_id: 'm', organization_id: 'o', project_id: 'p', from: 'up' as const, to: 'down' as const,
    at: 1, reason: 'r', incident_id: null,
  };
  await history.add(change);
  await history.add({ ...change, reason: 'again' });
  expect(await db.collection('status_changes').find({}).toArray()).toMatchObject([{ reason: 'r' }]);
});

const LATE_STATE = { gaps: [[HOUR, HOUR + 1], [HOUR + 5, HOUR + 9]] as [number, number][], runs: {}, found: [] };

test('a state is stored without nested arrays', async () => {
  const db = mongo.client.db(`${mongo.db.databaseName}_${++serial}`);
  const stored = db.collection<{ _id: string; state: object }>('monitor_states');
  const states = new StateStore(db);
  const record = stateOf(7);
  record.state = { ...record.state, late: LATE_STATE };
  await states.write([record]);
  const [doc] = await stored.find({}).toArray();
  expect(doc?.state).toMatchObject({
    accounted: [{ hour: HOUR, up: 7, degraded: 2, down: 3 }],
    late: { gaps: [{ from: HOUR, until: HOUR + 1 }, { from: HOUR + 5, until: HOUR + 9 }] },
  });
  const written = await states.find([MONITOR.monitor_id]);
  expect(written[0]?.state).toMatchObject({ accounted: { [HOUR]: [7, 2, 3] }, late: LATE_STATE });
});
