import { describe, expect, test } from 'vitest';
import { decodeBlock, MAX_BLOCK_RESULTS } from '../../../controller/results/hours/block-codec.ts';
import {
  writeClosedHours, isDueForWriting, savedThrough,
} from '../../../controller/results/writing/closed-hours.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../../shared/contracts/result.ts';
import type { ClockDecision, JournalEntry } from '../../../controller/results/journal/journal-store.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import { rowsOf } from '../../../controller/results/hours/hour-rows.ts';
import type { LiveMonitor } from '../../../controller/results/state/live-monitor.ts';
import type { RegionState } from '../../../controller/verdicts/monitor-state.ts';
import { SimulatedDatabase } from '../../simulation/simulated-database.ts';
import { simulatedStores, type ControllerStores } from '../../simulation/simulated-stores.ts';
import type { Line } from '../../simulation/wire.ts';
import { createLog } from '../../../shared/log.ts';
import { HourWrites } from '../../../controller/results/writing/retried-writes.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { batchOf, configOf, HOUR, idIn, resultOf, storedOf } from './build.ts';

const SHARD = 2;
const HOUR_MS = 3_600_000;
const MONITOR = configOf({ retries: 0, quorum: 'any' });
const ID = MONITOR.monitor_id;
/** The blocks of all monitors are due at this time. */
const LATER = HOUR + 2 * HOUR_MS;

/** Responds immediately; rejects everything after `dieAfter` writes. */
class InstantLine implements Line {
  writes = 0;
  readonly #dieAfter: number;

  constructor(dieAfter = Infinity) {
    this.#dieAfter = dieAfter;
  }

  read<T>(read: () => T): Promise<T> {
    return this.writes > this.#dieAfter ? Promise.reject(new Error('dead')) : Promise.resolve(read());
  }

  write<T>(parts: (() => void)[], read: () => T): Promise<T> {
    if (parts.length > 0) this.writes += 1;
    if (this.writes > this.#dieAfter) return Promise.reject(new Error('dead'));
    for (const part of parts) part();
    return Promise.resolve(read());
  }
}

function dueForWriting({ monitors }: ShardState, now: number): string[] {
  return [...monitors].filter(([id, monitor]) => isDueForWriting(id, monitor, now)).map(([id]) => id);
}

function savedOf({ monitors, n }: ShardState): number {
  return Math.min(...[...monitors.values()].map((monitor) => savedThrough(monitor, n)));
}

function entriesOf(groups: (CheckResult[] | ClockDecision[] | 'config')[]): JournalEntry[] {
  let seq = 0;
  return groups.map((group, at): JournalEntry => {
    const empty = {
      shard: SHARD, n: at + 1, v: 1, writer: 'w', taken_at: HOUR, configs: [], batches: [], pings: [],
      clock: [], lanes: [],
    };
    if (group === 'config') return { ...empty, configs: [MONITOR] };
    if (group.length === 0 || 'kind' in (group[0] as object)) {
      return { ...empty, clock: group as ClockDecision[] };
    }
    const batch = batchOf((group as CheckResult[]).map((result) => ({ ...result, seq: ++seq })));
    return {
      ...empty,
      batches: [{ probe_id: 'p', region: 'eu', bytes: encodeBatch(batch), batch, refused: [], late: [] }],
      lanes: [{ lane: 'p/e', position: seq }],
    };
  });
}

const at = (second: number, overrides: Partial<CheckResult> = {}): CheckResult =>
  resultOf(MONITOR, { started_at: HOUR + second * 1000, ...overrides });

const HISTORY = entriesOf([
  'config', [
    at(0), at(60), at(120),
  ], [at(180, { outcome: 'failure' }), at(240, { outcome: 'failure' })], [at(300)],
  Array.from({ length: 54 }, (_, minute) => at(360 + minute * 60)), [at(3600), at(3660)],
  [{ kind: 'hour', until: HOUR + HOUR_MS }], [at(3720)],
]);

/** Replays the journal as a new owner would, and writes the changed states. */
async function load(db: SimulatedDatabase, stores: ControllerStores, history = HISTORY): Promise<ShardState> {
  const state = new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, await stores.states.load(SHARD));
  for (const entry of history) {
    const { changed } = state.apply(entry);
    await stores.states.write(changed);
    for (const { monitor_id: id } of changed) (state.monitors.get(id) as { queued: number }).queued = 0;
  }
  return state;
}

function written(db: SimulatedDatabase): unknown {
  return {
    rows: [...db.blocks].map(([key, { bytes }]) => [key, decodeBlock(bytes).rows()]),
    rollups: [...db.hours].map(([key, { rollup }]) => [key, rollup]),
    states: [...db.states].map(
      ([key, { content }]) => [key, (JSON.parse(content) as { accounted: unknown }).accounted],
    ),
  };
}

async function undisturbed(): Promise<SimulatedDatabase> {
  const db = new SimulatedDatabase();
  const stores = simulatedStores(db, new InstantLine());
  const state = await load(db, stores);
  await writeClosedHours(stores, state, dueForWriting(state, LATER), LATER);
  return db;
}

describe('writing closed hours', () => {
  test('writes the ended hour and leaves the current one', async () => {
    const db = await undisturbed();
    expect([...db.blocks.keys()]).toEqual([`${ID}:${HOUR / HOUR_MS}`]);
    expect(decodeBlock([...db.blocks.values()][0]?.bytes as Uint8Array)).toHaveProperty('length', 60);
    expect(db.hours.get(`${ID}:${HOUR / HOUR_MS}`)?.rollup).toMatchObject({
      total: 60, failed: 2, times: [HOUR_MS - 120_000, 0, 120_000],
    });
  });

  test('waits, up to a limit, while regions have yet to report on an outage that another saw', async () => {
    const db = new SimulatedDatabase();
    const state = await load(db, simulatedStores(db, new InstantLine()));
    const monitor = state.monitors.get(ID) as LiveMonitor;
    const seen = {
      from: HOUR + 60_000, until: HOUR + 120_000, first_fail_at: HOUR + 60_000, fails: 1, error: null,
    };
    monitor.state = {
      ...monitor.state, regions: { eu: { ...(monitor.state.regions['eu'] as RegionState), ended: [seen] } },
    };
    expect([LATER, LATER + 2 * HOUR_MS].map((now) => dueForWriting(state, now))).toEqual([[], [ID]]);
  });

  test('is idempotent', async () => {
    const db = new SimulatedDatabase();
    const stores = simulatedStores(db, new InstantLine());
    const state = await load(db, stores);
    await writeClosedHours(stores, state, [ID], LATER);
    const once = written(db);
    expect(dueForWriting(state, LATER)).toEqual([]);
    await writeClosedHours(stores, state, [ID], LATER);
    expect(written(db)).toEqual(once);
  });

  test.each([0, 1, 2, 3])('that was interrupted after write %i is completed by the next owner', async (dieAfter) => {
    const db = new SimulatedDatabase();
    const healthy = simulatedStores(db, new InstantLine());
    const dying = await load(db, healthy);
    const line = new InstantLine(dieAfter);
    await writeClosedHours(simulatedStores(db, line), dying, [ID], LATER).catch(() => undefined);
    const next = await load(db, healthy);
    await writeClosedHours(healthy, next, dueForWriting(next, LATER), LATER);
    expect(written(db)).toEqual(written(await undisturbed()));
  });

  test('includes results that arrive during the write once, in the next version of the block', async () => {
    const db = new SimulatedDatabase();
    const stores = simulatedStores(db, new InstantLine());
    const history = [...HISTORY];
    const state = await load(db, stores, history);
    const [, late] = entriesOf(['config', [at(90)]]) as [JournalEntry, JournalEntry];
    const batch = late.batches[0] as JournalEntry['batches'][number];
    const meanwhile: JournalEntry = {
      ...late, n: state.n + 1, batches: [{ ...batch, probe_id: 'q', late: [1] }],
    };
    const hours = { ...stores.hours, read: async (keys: Parameters<typeof stores.hours.read>[0]) => {
      const found = await stores.hours.read(keys);
      if (state.n < meanwhile.n) state.apply(meanwhile);
      return found;
    } };
    await writeClosedHours({ hours, states: stores.states }, state, [ID], LATER);
    expect(decodeBlock(db.blocks.get(`${ID}:${HOUR / HOUR_MS}`)?.bytes as Uint8Array)).toHaveProperty(
      'length', 60,
    );
    expect(savedOf(state)).toBeLessThan(meanwhile.n);
    await writeClosedHours(stores, state, dueForWriting(state, LATER), LATER);
    expect(decodeBlock(db.blocks.get(`${ID}:${HOUR / HOUR_MS}`)?.bytes as Uint8Array)).toHaveProperty(
      'length', 61,
    );
  });

  test('counts late results in an hour with expired results, without storing them', async () => {
    const db = new SimulatedDatabase();
    const stores = simulatedStores(db, new InstantLine());
    const state = await load(db, stores);
    await writeClosedHours(stores, state, [ID], LATER);
    db.blocks.clear();
    const [, late] = entriesOf(['config', [at(90)]]) as [JournalEntry, JournalEntry];
    const batch = late.batches[0] as JournalEntry['batches'][number];
    state.apply({ ...late, n: state.n + 1, batches: [{ ...batch, probe_id: 'q', late: [1] }] });
    for (let time = 0; time < 2; time += 1) await writeClosedHours(stores, state, [ID], LATER);
    expect(db.blocks.size).toBe(0);
    expect(db.hours.get(`${ID}:${HOUR / HOUR_MS}`)?.rollup).toMatchObject({
      total: 61, failed: 2, times: [HOUR_MS - 120_000, 0, 120_000],
    });
  });

  test('saves monitors changed only by the clock, so that the snapshot can pass them', async () => {
    const db = new SimulatedDatabase();
    const stores = simulatedStores(db, new InstantLine());
    const paused = { ...MONITOR, status: 'paused' as const };
    const history: JournalEntry[] = [
      { ...(HISTORY[0] as JournalEntry), configs: [paused] }, { ...(HISTORY[6] as JournalEntry), n: 2 },
    ];
    const state = await load(db, stores, history);
    state.monitors.forEach((monitor) => (monitor.unsavedFrom = 2));
    expect(savedOf(state)).toBe(1);
    await writeClosedHours(stores, state, dueForWriting(state, LATER), LATER);
    expect(savedOf(state)).toBe(2);
  });
});

/** As if all its queued writes were done. */
function accountUntil(monitor: LiveMonitor, until: number): void {
  monitor.queued = 0;
  monitor.state = { ...monitor.state, accounted_until: until };
}

describe('a monitor whose hours are refused by the database', () => {
  test('backs off while those of others are written, and is retried later', async () => {
    const other = configOf({ retries: 0, quorum: 'any', organization_id: 'other' });
    other.monitor_id = idIn(SHARD, 1);
    const state = new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []);
    for (const entry of entriesOf(['config', [at(0)]])) state.apply(entry);
    state.apply({ ...entriesOf([[]])[0] as JournalEntry, n: 3, configs: [other] });
    const db = new SimulatedDatabase();
    const stores = simulatedStores(db, new InstantLine());
    let isBroken = true;
    const write: typeof stores.hours.write = async (records) => {
      if (isBroken && records.some(({ monitor_id: id }) => id === ID)) throw new Error('too large');
      return stores.hours.write(records);
    };
    const clock = new SimulatedClock(LATER);
    const writes = new HourWrites({
      clock, log: createLog('test', 'silent'), state, stores: { ...stores, hours: { ...stores.hours, write } },
    });
    for (const monitor of state.monitors.values()) accountUntil(monitor, LATER);
    await writes.write([ID, other.monitor_id]);
    expect([writes.setAsideCount, writes.canWrite(ID), writes.canWrite(other.monitor_id)]).toEqual([1, false, true]);
    isBroken = false;
    await clock.advance(60_000);
    expect(writes.canWrite(ID)).toBe(true);
    await writes.write([ID]);
    expect(writes.setAsideCount).toBe(0);
    expect(state.monitors.get(ID)?.hours).toEqual([]);
  });

  test('reports the surplus if an hour has more results than a block holds', async () => {
    const state = new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []);
    for (const entry of entriesOf(['config', [at(0)]])) state.apply(entry);
    const monitor = state.monitors.get(ID) as LiveMonitor;
    for (let added = 0; added < MAX_BLOCK_RESULTS + 5; added += 1) {
      rowsOf(monitor, HOUR)?.add(2, { region: 'eu', probe_id: 'p', late: true }, storedOf());
    }
    accountUntil(monitor, LATER);
    const stores = simulatedStores(new SimulatedDatabase(), new InstantLine());
    expect(await writeClosedHours(stores, state, [ID], LATER)).toEqual([{ monitor_id: ID, hour: HOUR, count: 6 }]);
    const [record] = await stores.hours.read([{ monitor_id: ID, hour: HOUR }]);
    expect(record?.rows.length).toBe(MAX_BLOCK_RESULTS);
  });
});

test('an hour keeps its maintenance time on the first and every later write', async () => {
  const db = new SimulatedDatabase();
  const stores = simulatedStores(db, new InstantLine());
  const config = {
    ...MONITOR, maintenance: [{ from: HOUR, until: HOUR + 30 * 60_000, holds_alerts: true }],
  };
  const [first, ...rest] = HISTORY;
  const history = [{ ...first, configs: [config] } as JournalEntry, ...rest];
  const state = await load(db, stores, history);
  await writeClosedHours(stores, state, dueForWriting(state, LATER), LATER);
  const written = () => db.hours.get(`${ID}:${HOUR / HOUR_MS}`)?.rollup;
  const [up, , down] = written()?.maintenance.times ?? [];
  // Down from 180 s to 300 s.
  expect([up, down]).toEqual([28 * 60_000, 2 * 60_000]);
  expect(state.monitors.get(ID)?.state.maintained).toBeNull();
  const before = written();
  const late: JournalEntry = {
    ...entriesOf([[at(200)]])[0] as JournalEntry, n: state.n + 1, lanes: [{ lane: 'p/late', position: 1 }],
  };
  const batch = { ...batchOf([{ ...at(200), seq: 1 }]), epoch: 'late' };
  state.apply({
    ...late,
    batches: [{ probe_id: 'p', region: 'eu', bytes: encodeBatch(batch), batch, refused: [], late: [1] }],
  });
  await writeClosedHours(stores, state, dueForWriting(state, LATER), LATER);
  expect(written()).toMatchObject({ total: (before?.total ?? 0) + 1, maintenance: before?.maintenance });
});
