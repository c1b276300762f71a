import { describe, expect, test } from 'vitest';
import { createLog } from '../../../shared/log.ts';
import { shardState } from '../../helpers/shard-states.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { RegionState } from '../../../controller/verdicts/monitor-state.ts';
import type { DeadLetter } from '../../../controller/results/dead-letters/dead-letter.ts';
import type { InsertOutcome, JournalEntry } from '../../../controller/results/journal/journal-store.ts';
import type { LanePosition } from '../../../controller/results/state/records.ts';
import { Actor } from '../../../shared/actor/actor.ts';
import type { NextEntry } from '../../../controller/results/intake/entry-builder.ts';
import type { ScanOutcome } from '../../../controller/results/clock/clock-scanner.ts';
import { Shard } from '../../../controller/results/shards/shard.ts';
import type { ShardDeps } from '../../../controller/results/shards/shard-parts.ts';
import { PoisonEntryError, type ShardMessage, type ShardSummary } from '../../../controller/results/shards/shard-message.ts';
import { packPart } from '../../../controller/results/writing/checkpoint-part.ts';
import { pair } from '../../simulation/scenarios.ts';
import { entryText, SimulatedDatabase } from '../../simulation/simulated-database.ts';
import { SimulatedProcess } from '../../simulation/simulated-process.ts';
import { simulatedStores, type ControllerStores } from '../../simulation/simulated-stores.ts';
import { HEALTHY, Wire } from '../../simulation/wire.ts';
import { Random } from '../../simulation/random.ts';
import { batchOf, configOf, resultOf } from '../results/build.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import { limitsOf } from '../../helpers/take-limits.ts';

const SHARD = 2;
const MONITOR = configOf({ shard: SHARD, retries: 0, quorum: 'any' });

function entry(n: number, part: Partial<JournalEntry>): JournalEntry {
  return {
    shard: SHARD, n, v: 1, writer: 'w', taken_at: MONITOR.changed_at + n * 1000, configs: [], batches: [],
    pings: [], clock: [], lanes: [], ...part,
  };
}

function failureEntry(n: number): JournalEntry {
  const batch =
    batchOf([resultOf(MONITOR, { seq: 1, outcome: 'failure', started_at: MONITOR.changed_at + n * 1000 })]);
  return entry(n, {
    batches: [{ probe_id: 'p', region: 'eu', bytes: encodeBatch(batch), batch, refused: [], late: [] }],
    lanes: [{ lane: 'p/e', position: 1 }],
  });
}

/** An actor that loads the shard, and the shard once it is loaded. */
function actorOf(
  clock: SimulatedProcess, overrides: Pick<ShardDeps, 'stores'> & Partial<ShardDeps>,
): { actor: Actor<ShardMessage>; loading: Promise<Shard> } {
  let actor!: Actor<ShardMessage>;
  const loading = new Promise<Shard>((resolve, reject) => {
    actor = new Actor({
      clock, capacity: 100, onEnded: reject,
      start: async (context) => {
        const loaded = await Shard.load(SHARD, 'loader', {
          clock, log: createLog('test', 'silent'), limits: limitsOf(
            1e15,
          ), journal: { schedule: () => undefined }, deadLetters: { put: () => undefined },
          lostLanes: { report: () => undefined }, unknownRegions: { add: () => undefined },
          listeners: { onApplied: [], onConfigs: () => undefined },
          counts: {
            entries: 0, results: 0, missed_checks: 0, voided: 0, insert_failures: 0, listener_failures: 0, set_aside: 0,
          },
          checkpointResults: Infinity, untilLoaded: async () => undefined, isPoison: () => false,
          publish: () => undefined, ...overrides,
        }, context);
        resolve(loaded);
        return loaded;
      },
    });
    actor.begin();
  });
  return { actor, loading };
}

const beginScan = (actor: Actor<ShardMessage>) =>
  actor.ask<number>((respond) => ({ kind: 'beginScan', mayCloseHour: true, respond }));
const scan = (actor: Actor<ShardMessage>) =>
  actor.ask<ScanOutcome>((respond) => ({ kind: 'scan', limit: 100, respond }));
const nextEntry = (actor: Actor<ShardMessage>) =>
  actor.ask<NextEntry | null>((respond) => ({ kind: 'nextEntry', respond }));
const inserted = (actor: Actor<ShardMessage>, outcome: InsertOutcome = 'written') =>
  actor.ask<void>((respond) => ({ kind: 'inserted', outcome, snapshotN: 0, respond }));

/** Loads a shard from `db`. `disturb` acts on it between the snapshot and the first read of the journal. */
async function load(
  db: SimulatedDatabase, disturb: () => void,
  change: (stores: ControllerStores) => Partial<ControllerStores> = () => ({}),
  overrides: Partial<ShardDeps> = {},
): Promise<Shard> {
  const clock = new SimulatedClock();
  const process = new SimulatedProcess(clock);
  const plain = simulatedStores(
    db, new Wire({ clock, random: new Random(1), process, health: () => HEALTHY, kill: () => undefined }),
  );
  let isDisturbed = false;
  const journal: ControllerStores['journal'] = { ...plain.journal, read: (shard, after, limit) => {
    if (!isDisturbed) disturb();
    isDisturbed = true;
    return plain.journal.read(shard, after, limit);
  } };
  const stores = { ...plain, journal, ...change(plain) };
  return within(clock, actorOf(process, { stores, ...overrides }).loading);
}

/** A shard of one monitor at entry 2, with everything in the snapshot. */
function saved(): SimulatedDatabase {
  const db = new SimulatedDatabase();
  const state = new SimulatedDatabase();
  state.insertEntry(entryText(entry(1, { configs: [MONITOR] })));
  db.snapshots.set(SHARD, { position: 2, content: '{}' });
  db.states.set(
    MONITOR.monitor_id,
    { shard: SHARD, position: 2, outbox: '[]', content: JSON.stringify(newMonitorState(MONITOR)) },
  );
  return db;
}

const LYING: (stores: ControllerStores) => Pick<ControllerStores, 'snapshots'> = (stores) =>
  ({ snapshots: { ...stores.snapshots, numbers: () => Promise.resolve(new Map()) } });

describe('a shard', () => {
  test('is loaded with the journal entries after the snapshot', async () => {
    const db = saved();
    db.journalOf(SHARD).set(3, entryText(failureEntry(3)));
    const actor = await load(db, () => undefined);
    expect(actor.state.n).toBe(3);
    expect(db.incidents.size).toBe(1);
  });

  /** The true journal has advanced, its entries up to 50 are deleted, and a suspended owner has reused the free number 3. */
  function overtake(db: SimulatedDatabase): void {
    db.snapshots.set(SHARD, { position: 50, content: '{}' });
    db.journalOf(SHARD).set(3, entryText(failureEntry(3)));
  }

  test('is reloaded if the snapshot has passed the entries read, because a late writer reused a free number', async () => {
    const db = saved();
    await expect(load(db, () => overtake(db))).rejects.toThrow('has passed');
    expect(db.incidents.size + db.alerts.size).toBe(0);
  });

  test('would be loaded incorrectly if the snapshot were not read after the journal', async () => {
    const db = saved();
    await load(db, () => overtake(db), LYING);
    expect(db.alerts.size).toBe(1);
  });

  test('is reloaded if entries are missing', async () => {
    const db = saved();
    db.journalOf(SHARD).set(5, entryText(failureEntry(5)));
    await expect(load(db, () => undefined)).rejects.toThrow('journal entry 5 after 2');
  });
});

describe('a shard with a checkpoint', () => {
  /** Entries 1 to 4: the monitor, two successes, a failure; the checkpoint is of entry 3. */
  function checkpointed(): SimulatedDatabase {
    const db = new SimulatedDatabase();
    const results = [2, 3, 4].map((n) => {
      const outcome = n === 4 ? 'failure' as const : 'success' as const;
      const batch = batchOf([resultOf(MONITOR, { seq: n - 1, outcome, started_at: MONITOR.changed_at + n * 1000 })]);
      return entry(n, {
        batches: [{ probe_id: 'p', region: 'eu', bytes: encodeBatch(batch), batch, refused: [], late: [] }],
        lanes: [{ lane: 'p/e', position: n - 1 }],
      });
    });
    const entries = [entry(1, { configs: [MONITOR] }), ...results];
    for (const each of entries) db.journalOf(SHARD).set(each.n, entryText(each));
    const state = new ShardState(SHARD, { n: 0, lanes: [], taken_at: 0 }, []);
    for (const each of entries.slice(0, 3)) state.apply(each);
    const { state: saved } = state.monitors.get(MONITOR.monitor_id)!;
    const parts = [packPart([{ monitor_id: MONITOR.monitor_id, position: 3, unsaved_from: 2, state: saved }])];
    const start = { n: 3, taken_at: state.takenAt, lanes: [...state.lanes], pings: [] };
    db.checkpoints.set(SHARD, { position: 3, content: JSON.stringify({ ...start, parts }) });
    const document = { shard: SHARD, position: 1, outbox: '[]', content: JSON.stringify(newMonitorState(MONITOR)) };
    db.states.set(MONITOR.monitor_id, document);
    return db;
  }

  const rowsOf = (shard: Shard) => [...shard.state.monitors.values()].flatMap(({ hours }) =>
    hours.flatMap((rows) => rows.after(0).map(({ outcome }) => outcome)));

  test('alerts first, and has the results of the hour later, as without one', async () => {
    const db = checkpointed();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const clock = new SimulatedClock();
    const process = new SimulatedProcess(clock);
    const wire = new Wire({ clock, random: new Random(1), process, health: () => HEALTHY, kill: () => undefined });
    const { loading } = actorOf(process, { stores: simulatedStores(db, wire), untilLoaded: () => gate });
    const loaded = await within(clock, loading);
    expect([loaded.isWhole, rowsOf(loaded), db.incidents.size]).toEqual([false, [], 1]);
    open();
    await clock.advance(60_000);
    expect(loaded.isWhole).toBe(true);
    const whole = checkpointed();
    whole.checkpoints.clear();
    const reference = await load(whole, () => undefined);
    expect(rowsOf(loaded)).toEqual(['success', 'success', 'failure']);
    expect(rowsOf(loaded)).toEqual(rowsOf(reference));
    expect([...loaded.state.monitors.values()].map(({ state }) => state))
      .toEqual([...reference.state.monitors.values()].map(({ state }) => state));
    expect([...whole.incidents.keys()]).toEqual([...db.incidents.keys()]);
  });

  test('has the state of a document that was written later', async () => {
    const db = checkpointed();
    const state = { ...newMonitorState(MONITOR), since: 12_345 };
    db.states.set(MONITOR.monitor_id, { shard: SHARD, position: 4, outbox: '[]', content: JSON.stringify(state) });
    const loaded = await load(db, () => undefined);
    const monitor = loaded.state.monitors.get(MONITOR.monitor_id);
    expect([monitor?.state.since, monitor?.position, db.incidents.size]).toEqual([12_345, 4, 0]);
  });

  test('has monitors of a checkpoint that no document has', async () => {
    const db = checkpointed();
    db.states.clear();
    expect((await load(db, () => undefined)).state.monitors.size).toBe(1);
    expect(db.incidents.size).toBe(1);
  });

  test('does not use one that the snapshot has passed', async () => {
    const db = checkpointed();
    db.snapshots.set(SHARD, { position: 3, content: '{}' });
    db.states.set(MONITOR.monitor_id, { ...db.states.get(MONITOR.monitor_id), position: 3 } as never);
    expect((await load(db, () => undefined, () => ({}), { untilLoaded: () => new Promise(() => undefined) })).isWhole).toBe(true);
  });
});

test('a shard replaces what it publishes with every entry', async () => {
  const clock = new SimulatedClock();
  const process = new SimulatedProcess(clock);
  const wire = new Wire({ clock, random: new Random(1), process, health: () => HEALTHY, kill: () => undefined });
  const published: ShardSummary[] = [];
  const { actor, loading } = actorOf(process, {
    stores: simulatedStores(saved(), wire), publish: (summary) => void published.push(summary),
  });
  await within(clock, loading);
  const other = { ...MONITOR, monitor_id: 'another' };
  await actor.ask<string[]>((respond) => ({ kind: 'configs', configs: [other], respond }));
  await nextEntry(actor);
  expect(published).toEqual([{ monitors: 1, isWhole: true, setAside: 0 }]);
  await inserted(actor);
  expect(published).toEqual([{ monitors: 1, isWhole: true, setAside: 0 }, { monitors: 2, isWhole: true, setAside: 0 }]);
});

describe('a journal entry that cannot be applied', () => {
  const poison = (n: number): JournalEntry => ({
    ...failureEntry(n),
    get pings(): never { throw new Error('poison'); },
  });
  const reading = (entries: JournalEntry[]) => (stores: ControllerStores) => ({
    journal: { ...stores.journal, read: async (_shard: number, after: number) =>
      entries.filter(({ n }) => n > after) },
  });

  test('ends the instance that loads it, with its number', async () => {
    const failing = load(saved(), () => undefined, reading([poison(3)]));
    await expect(failing).rejects.toBeInstanceOf(PoisonEntryError);
    await expect(failing).rejects.toMatchObject({ n: 3 });
  });

  test('is skipped by the next instance: the shard starts, and later entries count', async () => {
    const letters: DeadLetter[] = [];
    const shard = await load(saved(), () => undefined, reading([poison(3), failureEntry(4)]), {
      isPoison: (n) => n === 3, deadLetters: { put: (put) => void letters.push(...put) },
    });
    expect(shard.state.n).toBe(4);
    expect(letters).toMatchObject([{ reason: 'unreadable', probe_id: 'p', region: 'eu' }]);
    expect(shard.state.lanes.position('p/e')).toBe(1);
  });

  test('in one batch only costs only that batch', async () => {
    const letters: DeadLetter[] = [];
    const spoiled = { ...failureEntry(3), batches: [], unread: failureEntry(3).batches };
    const shard = await load(saved(), () => undefined, reading([spoiled]), {
      deadLetters: { put: (put) => void letters.push(...put) },
    });
    expect(shard.state.lanes.position('p/e')).toBe(1);
    expect(letters).toHaveLength(1);
  });
});

test('a listener that throws affects neither the others nor the shard', async () => {
  const db = saved();
  db.journalOf(SHARD).set(3, entryText(failureEntry(3)));
  const applied: number[] = [];
  const counts = {
    entries: 0, results: 0, missed_checks: 0, voided: 0, insert_failures: 0, listener_failures: 0, set_aside: 0,
  };
  const shard = await load(db, () => undefined, () => ({}), {
    counts,
    listeners: {
      onApplied: [
        () => { throw new Error('a bad listener'); },
        (state) => applied.push(state.n),
      ], onConfigs: () => undefined,
    },
  });
  expect([shard.state.n, applied, counts.listener_failures]).toEqual([3, [3], 1]);
  expect(db.incidents.size).toBe(1);
});

test('keeps deciding for other monitors if a rule throws for one, which is reported once', async () => {
  const db = saved();
  const other = configOf({ shard: SHARD, organization_id: 'other' });
  const seen = {
    ...newMonitorState(other), status: 'up' as const, regions: { eu: regionSeenAt(other.changed_at) },
  };
  const id = `${MONITOR.monitor_id.slice(0, -12)}ffffffffffff`;
  db.states.set(id, {
    shard: SHARD, position: 2, outbox: '[]',
    content: JSON.stringify({ ...seen, config: { ...other, monitor_id: id } }),
  });
  const clock = new SimulatedClock();
  const process = new SimulatedProcess(clock);
  const stores = simulatedStores(
    db, new Wire({ clock, random: new Random(1), process, health: () => HEALTHY, kill: () => undefined }),
  );
  const failed: DeadLetter[] = [];
  const { actor, loading } =
    actorOf(process, { stores, deadLetters: { put: (letters) => void failed.push(...letters) } });
  const { state } = await within(clock, loading);
  const broken = state.monitors.get(MONITOR.monitor_id);
  if (!broken) throw new Error('no monitor');
  broken.state = { ...broken.state, regions: null as never };
  await clock.advance(24 * 3_600_000);
  await beginScan(actor);
  await scan(actor);
  const clocked = (await nextEntry(actor))?.entry.clock;
  expect(clocked).toContainEqual(expect.objectContaining({ kind: 'silent', monitor_id: id, region: 'eu' }));
  await inserted(actor);
  await beginScan(actor);
  await scan(actor);
  expect(failed).toMatchObject([{ reason: 'rule_failed', monitor_id: MONITOR.monitor_id }]);
});

function regionSeenAt(at: number): RegionState {
  return {
    verdict: 'up', degraded: false, slows: 0, fails: 0, first_fail_at: null, last_at: at, response_time_ms: 5, engine: '1',
    status_code: 200, error: null, probe_id: 'p', reason: null,
  };
}

async function within<T>(clock: SimulatedClock, work: Promise<T>): Promise<T> {
  const settled = work.then(() => undefined, () => undefined);
  await clock.advance(60_000);
  await settled;
  return work;
}

describe('an inactive lane', () => {
  const DAY_MS = 86_400_000;
  const now = new SimulatedClock().now();
  const lanes: LanePosition[] = [
    { lane: 'old/e', position: 5, moved_at: now - 33 * DAY_MS },
    { lane: 'new/e', position: 7, moved_at: now - 31 * DAY_MS },
    { lane: 'back/e', position: 3, moved_at: now - 33 * DAY_MS },
  ];

  /** The positions in the next snapshot, with a retention of 30 days. */
  async function snapshotAfter(
    content: { lanes: LanePosition[] },
  ): Promise<{ lanes: LanePosition[]; actor: Shard }> {
    const db = saved();
    db.states.clear();
    db.snapshots.set(SHARD, { position: 2, content: JSON.stringify(content) });
    for (let n = 3; n < 80; n += 1) {
      db.journalOf(SHARD).set(
        n, entryText(entry(n, { taken_at: now, lanes: n === 50 ? [{ lane: 'back/e', position: 4 }] : [] })),
      );
    }
    const clock = new SimulatedClock();
    const process = new SimulatedProcess(clock);
    const stores = simulatedStores(
      db, new Wire({ clock, random: new Random(1), process, health: () => HEALTHY, kill: () => undefined }),
    );
    const { actor: loader, loading } = actorOf(process, { stores, limits: limitsOf(30 * DAY_MS) });
    const actor = await within(clock, loading.then(async (loaded) => {
      await beginScan(loader);
      await scan(loader);
      return loaded;
    }));
    return { ...(JSON.parse(
      db.snapshots.get(SHARD)?.content ?? '',
    ) as { lanes: LanePosition[] }), actor };
  }

  test('is dropped by the next snapshot once it was idle for longer than the retention plus a margin', async () => {
    const found = await snapshotAfter({ lanes });
    const left = [['new/e', 7], ['back/e', 4]];
    expect(found.lanes.map(({ lane, position }) => [lane, position])).toEqual(left);
    expect([...found.actor.state.lanes].map(({ lane, position }) => [lane, position])).toEqual(left);
  });
});

test('a shard retries an entry that the database rejects permanently, without its results', async () => {
  const clock = new SimulatedClock();
  const process = new SimulatedProcess(clock);
  const wire = new Wire({ clock, random: new Random(1), process, health: () => HEALTHY, kill: () => undefined });
  const scheduled: number[] = [];
  const { actor, loading } = actorOf(process, {
    stores: simulatedStores(saved(), wire),
    journal: { schedule: (_shard, at) => void scheduled.push(at) },
  });
  const { state } = await within(clock, loading);
  const [batch] = failureEntry(3).batches;
  if (!batch) throw new Error('no batch');
  const acknowledged: number[] = [];
  actor.send({ kind: 'batch', message: { ...batch, acknowledge: (position) => void acknowledged.push(position) } });
  const first = await nextEntry(actor);
  scheduled.length = 0;

  await inserted(actor, 'refused');
  expect(scheduled).toEqual([clock.monotonic()]);

  const second = await nextEntry(actor);
  expect(first?.entry).toMatchObject({ n: 3, batches: [{ batch: { results: [{ seq: 1 }] } }] });
  expect(second?.entry).toMatchObject({ n: 3, batches: [{ batch: { results: [] } }] });
  expect(second?.letters).toMatchObject([{ reason: 'unreadable', probe_id: 'p' }]);
  await inserted(actor);
  expect([state.n, acknowledged]).toEqual([3, [1]]);
});

describe('an owned shard', () => {
  test('moves to a controller that can read it if its journal has a later format', async () => {
    const { world, first, second } = await pair({});
    first.kill();
    second.kill();
    const n = (world.db.truth.get(SHARD)?.length ?? 0) + 1;
    world.db.insertEntry(entryText(entry(n, { v: 2 })));
    first.start();
    await world.run(60_000);
    expect(world.ownersOf(SHARD)).toEqual([]);
    expect(world.db.leases.has(SHARD)).toBe(false);
    expect(world.ownersOf(3)).toEqual([first]);
    expect(world.db.truth.get(SHARD)).toHaveLength(n);
  });

  test('keeps working if a rule throws for one of its monitors', async () => {
    const { world, monitor, first, second } = await pair({});
    const other = world.createMonitor({ shard: SHARD, interval_ms: 10_000 });
    await world.run(30_000);
    first.kill();
    second.kill();
    for (const doc of [world.db.states.get(monitor.monitor_id)]) {
      if (doc) doc.content = doc.content.replace('"monitoring_regions":[]', '"monitoring_regions":null');
    }
    first.start();
    await world.run(120_000);
    const reasons = [...world.db.letters.values()].map(({ reason, monitor_id }) => `${reason} ${monitor_id}`);
    expect(new Set(reasons)).toEqual(new Set([`rule_failed ${monitor.monitor_id}`]));
    const state = await shardState(first.shards, SHARD);
    expect(state?.monitors.get(other.monitor_id)?.state.last_check_at).toBeGreaterThan(
      world.clock.now() - 30_000,
    );
    expect(world.probes[0]?.depth).toBeLessThan(5);
  });
});
