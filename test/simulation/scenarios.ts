import { sleep } from '../../shared/time.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { HourTimes } from '../../controller/verdicts/monitor-state.ts';
import { spansByResults } from '../helpers/uptime-by-results.ts';
import { rowsOf } from './check-results.ts';
import { referenceOf } from './reference.ts';
import { report, settle, type SeedReport } from './run-seed.ts';
import type { SimulatedController } from './simulated-controller.ts';
import type { ControllerStores } from './simulated-stores.ts';
import { MINUTE_MS, START_MS, World, type WorldOptions } from './world.ts';

/** The parts of the protocol that a scenario may replace. */
export type Changed = Pick<WorldOptions, 'disguise' | 'hand'>;

const SHARD = 2;
const HOUR_MS = 60 * MINUTE_MS;

export interface Pair {
  world: World;
  monitor: MonitorConfig;
  /** The controller that initially owns the shard, and the one that takes over. */
  first: SimulatedController;
  second: SimulatedController;
}

/** Starts two controllers, one probe and one monitor that is checked every 10 s. */
export async function pair(
  options: Partial<WorldOptions>, overrides: Partial<MonitorConfig> = {},
): Promise<Pair> {
  const world = new World({ seed: 1, controllers: 2, regions: ['eu'], ...options });
  world.restartAfterMs = null;
  const monitor = world.createMonitor({ shard: SHARD, interval_ms: 10_000, quorum: 'any', ...overrides });
  world.start();
  await world.runUntil(
    () => world.ownersOf(SHARD).length === 1 && (world.db.truth.get(SHARD)?.length ?? 0) > 10, 5 * MINUTE_MS,
  );
  const first = world.ownersOf(SHARD)[0] as SimulatedController;
  const second = world.controllers.find((controller) => controller !== first) as SimulatedController;
  return { world, monitor, first, second };
}

type Moment = { [S in keyof ControllerStores]: {
  store: S;
  method: keyof ControllerStores[S];
} }[keyof ControllerStores];

/** Suspends a controller right before it sends one command, once `when` holds. It sends the command on waking. */
export function napBefore(
  moment: Moment, forMs: number,
  when: (world: World, controller: SimulatedController, args: unknown[]) => boolean,
): NonNullable<WorldOptions['disguise']> {
  let isDone = false;
  return (stores, world, controller) => {
    const store = stores[moment.store] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const call = store[moment.method as string] as (...args: unknown[]) => Promise<unknown>;
    const slow = async (...args: unknown[]): Promise<unknown> => {
      const { process } = controller;
      if (!isDone && process && when(world, controller, args)) {
        isDone = true;
        world.count('nap');
        process.sleep(forMs, true);
        await sleep(process, 1);
      }
      return call(...args);
    };
    return { ...stores, [moment.store]: { ...store, [moment.method]: slow } };
  };
}

/** Applies `inner`, then `outer` around it. */
export function both(
  inner: WorldOptions['disguise'], outer: WorldOptions['disguise'],
): WorldOptions['disguise'] {
  return (stores, world, controller) => {
    const changed = inner?.(stores, world, controller) ?? stores;
    return outer?.(changed, world, controller) ?? changed;
  };
}

async function end(world: World): Promise<SeedReport> {
  await world.run(2 * MINUTE_MS);
  await settle(world);
  return report(world, 0);
}

/**
 * An owner is suspended for over an hour right before an insert. Meanwhile another owner uses that number, moves the snapshot
 * past it, deletes it and crashes. The first owner wakes and finds its number free.
 */
export async function staleOwnerFindsItsNumberFree(changed: Changed = {}): Promise<SeedReport> {
  const napMs = 1.5 * HOUR_MS;
  const isTime = (world: World): boolean => (world.db.truth.get(SHARD)?.length ?? 0) > 20;
  const nap = napBefore({ store: 'journal', method: 'insert' }, napMs, (world, controller, args) =>
    isTime(world) && (args[0] as { shard: number }[]).some(({ shard }) => shard === SHARD) &&
      world.ownersOf(SHARD)[0] === controller);
  // Leases speed up takeovers but protect nothing, so the suspended owner does not read them for a while.
  const deaf: WorldOptions['disguise'] = (
    stores, world, controller,
  ) => ({ ...stores, leases: { ...stores.leases, renew: async (shards, holder, until) => {
    if (world.clock.now() > START_MS + HOUR_MS && controller.process) {
      await sleep(controller.process, MINUTE_MS);
    }
    return stores.leases.renew(shards, holder, until);
  } } });
  const { world, first, second } =
    await pair({ ...changed, disguise: both(both(changed.disguise, deaf), nap) });
  await world.runUntil(() => first.process?.isAwake === false, MINUTE_MS);
  const n = world.db.truth.get(SHARD)?.length ?? 0;
  await world.run(napMs - 10_000);
  if ((world.db.snapshots.get(SHARD)?.position ?? 0) <= n) {
    throw new Error('the snapshot has not passed the suspended owner');
  }
  second.kill();
  await world.run(MINUTE_MS);
  second.start();
  return end(world);
}

/** An owner is suspended before writing a state, and writes it after another owner took over and continued. */
export async function staleOwnerWritesAnOldState(changed: Changed = {}): Promise<SeedReport> {
  const napMs = 1.5 * HOUR_MS;
  const nap = napBefore({ store: 'states', method: 'write' }, napMs, (_world, _controller, args) =>
    (args[0] as { outbox: { kind: string }[] }[]).some(
      ({ outbox }) => outbox.some(({ kind }) => kind === 'open'),
    ));
  const { world, monitor, first } = await pair({ ...changed, disguise: both(changed.disguise, nap) });
  world.targets.plan(
    monitor.monitor_id, [{ from: world.clock.now() + MINUTE_MS, until: world.clock.now() + 12 * MINUTE_MS }],
  );
  await world.runUntil(() => first.process?.isAwake === false, 5 * MINUTE_MS);
  await world.run(napMs + MINUTE_MS);
  return end(world);
}

/** An owner is suspended before writing an hour's block, and writes it after another owner wrote that hour with later results. */
export async function staleOwnerWritesAnOldBlock(changed: Changed = {}): Promise<SeedReport> {
  const napMs = 1.5 * HOUR_MS;
  const nap = napBefore(
    { store: 'hours', method: 'write' }, napMs,
    (_world, _controller, args) => (args[0] as { monitor_id: string }[]).length > 0,
  );
  const { world, first } = await pair({ ...changed, disguise: both(changed.disguise, nap) });
  // The results of the rest of this hour arrive an hour late.
  await world.run(2 * MINUTE_MS);
  world.network.cutOff.add(world.probes[0]?.probeId ?? '');
  const slept = await world.runUntil(() => first.process?.isAwake === false, 2 * HOUR_MS);
  if (!slept) throw new Error('no block was written');
  await world.run(MINUTE_MS);
  world.network.cutOff.clear();
  await world.run(napMs + MINUTE_MS);
  return end(world);
}

/**
 * An owner is suspended before moving the snapshot, and moves it after another owner moved it further and deleted journal
 * entries.
 */
export async function staleOwnerMovesTheSnapshotBack(changed: Changed = {}): Promise<SeedReport> {
  // The second owner moves the snapshot hourly, after its block is written. The first one wakes in between.
  const napMs = 1.5 * HOUR_MS;
  const nap = napBefore(
    { store: 'snapshots', method: 'move' }, napMs, (_world, _controller, args) => args[0] === SHARD,
  );
  const { world, first } = await pair({ ...changed, disguise: both(changed.disguise, nap) });
  await world.runUntil(() => first.process?.isAwake === false, 3 * HOUR_MS);
  await world.run(napMs + MINUTE_MS);
  return end(world);
}

/** A user changes a monitor while the mark of its last change is being cleared. */
export async function changedWhileUnmarked(changed: Changed = {}): Promise<SeedReport> {
  let isDone = false;
  const meanwhile: WorldOptions['disguise'] = (
    stores, world,
  ) => ({ ...stores, marks: { ...stores.marks, clear: (marks) => {
    const id = marks[0]?.monitor_id;
    if (id !== undefined && !isDone && world.clock.now() > START_MS + MINUTE_MS) {
      isDone = true;
      world.changeMonitor(id, { name: 'changed meanwhile' });
    }
    return stores.marks.clear(marks);
  } } });
  const { world, monitor } = await pair({ ...changed, disguise: both(changed.disguise, meanwhile) });
  await world.run(2 * MINUTE_MS);
  world.changeMonitor(monitor.monitor_id, { name: 'changed' });
  await world.run(MINUTE_MS);
  return end(world);
}

/** All controllers are down for ten minutes while the probe keeps checking. That time must not count as silence. */
export async function allControllersDown(changed: Changed = {}): Promise<SeedReport & { unknowns: number }> {
  const { world, first, second } = await pair(changed);
  first.kill();
  second.kill();
  await world.run(10 * MINUTE_MS);
  first.start();
  second.start();
  const found = await end(world);
  return {
    ...found,
    unknowns: [...world.db.statusChanges.values()].filter(({ reason }) => reason === 'no data').length,
  };
}

/** The database is down for five minutes while owner and probe keep running. No region was silent. */
export async function databaseDown(changed: Changed = {}): Promise<SeedReport & { unknowns: number }> {
  const { world } = await pair(changed);
  const before = world.health;
  world.health = { ...before, isDown: true };
  await world.run(5 * MINUTE_MS);
  world.health = before;
  const found = await end(world);
  return {
    ...found,
    unknowns: [...world.db.statusChanges.values()].filter(({ reason }) => reason === 'no data').length,
  };
}

/** An owner crashes after writing a state that opens an incident, before it carries out any effect. */
export async function diesBeforeEffects(changed: Changed = {}): Promise<SeedReport> {
  let isDone = false;
  const deadly: WorldOptions['disguise'] = (
    stores, world, controller,
  ) => ({ ...stores, states: { ...stores.states, write: async (records) => {
    await stores.states.write(records);
    if (isDone || !records.some(({ outbox }) => outbox.some(({ kind }) => kind === 'open'))) return;
    isDone = true;
    controller.kill();
    await sleep(controller.process ?? world.clock, 1);
  } } });
  const { world, monitor, first } = await pair({ ...changed, disguise: both(changed.disguise, deadly) });
  world.targets.plan(
    monitor.monitor_id, [{ from: world.clock.now() + MINUTE_MS, until: world.clock.now() + 12 * MINUTE_MS }],
  );
  await world.runUntil(() => !first.isAlive, 5 * MINUTE_MS);
  await world.run(15 * MINUTE_MS);
  first.start();
  return end(world);
}

/** Inserts succeed but never get a response. Each is repeated until the owner finds its own entry. */
export async function insertsGetNoResponse(
  changed: Changed = {},
): Promise<SeedReport & { voided: number; failures: number }> {
  const counts = new Map<string, number>();
  const mute: WorldOptions['disguise'] = (
    stores, world,
  ) => ({ ...stores, journal: { ...stores.journal, insert: async (entries) => {
    const outcomes = await stores.journal.insert(entries);
    const key = entries.map(({ shard, n }) => `${shard}:${n}`).join();
    const attempts = (counts.get(key) ?? 0) + 1;
    counts.set(key, attempts);
    if (attempts < 3 && world.clock.now() > START_MS + 2 * MINUTE_MS) throw new Error('no response');
    return outcomes;
  } } });
  const { world, first } = await pair({ ...changed, disguise: both(changed.disguise, mute) });
  await world.run(10 * MINUTE_MS);
  const { voided = 0, insert_failures: failures = 0 } = first.shards?.counts ?? {};
  const found = await end(world);
  return { ...found, voided, failures };
}

/** The only region is offline for twenty minutes, in which the target fails and recovers. Its late results then are history. */
export async function backlogSendsNoAlert(
  changed: Changed = {},
): Promise<SeedReport & { alerts: number; stored: number }> {
  const { world, monitor } = await pair(changed, { interval_ms: MINUTE_MS });
  const probeId = world.probes[0]?.probeId ?? '';
  world.network.cutOff.add(probeId);
  world.targets.plan(
    monitor.monitor_id,
    [{ from: world.clock.now() + 5 * MINUTE_MS, until: world.clock.now() + 11 * MINUTE_MS }],
  );
  await world.run(20 * MINUTE_MS);
  world.network.cutOff.clear();
  await world.run(5 * MINUTE_MS);
  const found = await end(world);
  const stored = (world.db.truth.get(SHARD) ?? []).flatMap(
    (entry) => entry.batches.flatMap(({ batch }) => batch.results),
  ).filter(({ outcome }) => outcome === 'failure').length;
  const alerts = [...world.db.alerts.values()].filter(({ incident }) => incident !== null).length;
  return { ...found, alerts, stored };
}

/**
 * A probe misses the acknowledgement of its last results and is offline for hours, while the snapshot passes them and every
 * controller restarts. Then it resends them.
 */
export async function lastBatchIsRepeated(changed: Changed = {}): Promise<SeedReport> {
  let isMute = false;
  const hand: WorldOptions['hand'] = (message) =>
    (isMute ? { ...message, acknowledge: () => undefined } : message);
  const { world, first, second } = await pair({ ...changed, hand });
  const probe = world.probes[0] as World['probes'][number];
  await world.run(15 * MINUTE_MS);
  isMute = true;
  await world.run(MINUTE_MS);
  world.network.cutOff.add(probe.probeId);
  isMute = false;
  const taken = world.db.truth.get(SHARD)?.length ?? 0;
  if (!(await world.runUntil(() => (world.db.snapshots.get(SHARD)?.position ?? 0) >= taken, 5 * HOUR_MS))) {
    throw new Error('the snapshot has not passed the accepted results');
  }
  first.kill();
  second.kill();
  await world.run(5000);
  first.start();
  await world.run(MINUTE_MS);
  world.network.cutOff.clear();
  return end(world);
}

/**
 * A user pauses a monitor while its probe is offline for less than a minute and keeps checking. Returns the accounted times, and
 * those derived from the results (ms).
 */
export async function pausedBeforeItsResults(): Promise<SeedReport & { accounted: HourTimes; wanted: HourTimes }> {
  const { world, monitor: { monitor_id: id, retries } } = await pair({});
  const probeId = world.probes[0]?.probeId ?? '';
  world.network.cutOff.add(probeId);
  await world.run(45_000);
  const pausedAt = world.clock.now();
  world.changeMonitor(id, { status: 'paused', check_revision: 1 });
  await world.run(3000);
  world.network.cutOff.clear();
  const found = await end(world);
  const reference = referenceOf(world.db, SHARD);
  const rows = (rowsOf(world, reference.state, false).get(id) ?? []).filter((row) => row.started_at < pausedAt);
  const wanted: HourTimes = [0, 0, 0];
  for (const { from, until, column } of spansByResults(rows, { retries }, pausedAt)) wanted[column] += until - from;
  const [accounted = [0, 0, 0]] = Object.values(reference.state.monitors.get(id)?.state.accounted ?? {});
  return { ...found, accounted, wanted };
}

/** Every process crashes right after a snapshot. Everything unwritten must still be in the journal. */
export async function diesAfterASnapshot(changed: Changed = {}): Promise<SeedReport> {
  const { world, first, second } = await pair(changed);
  if (!(await world.runUntil(() => world.db.snapshots.has(SHARD), 2 * HOUR_MS))) {
    throw new Error('no snapshot was taken');
  }
  await world.run(1000);
  first.kill();
  second.kill();
  await world.run(5000);
  first.start();
  return end(world);
}

/** Outages and crashing owners until after midnight, in which hours and a day are rolled up. */
export async function aDayGoesBy(seed: number, totalHours = 27): Promise<SeedReport & { days: number }> {
  const world = new World({ seed, controllers: 2, regions: ['eu'] });
  const random = world.random.fork();
  for (const policy of [{ retries: 0 }, { retries: 2 }, { retries: 1, recoveries: 2 }]) {
    const { monitor_id: id } =
      world.createMonitor({ shard: SHARD, interval_ms: 5 * MINUTE_MS, quorum: 'any', ...policy });
    const outages: { from: number; until: number }[] = [];
    for (let at = START_MS + HOUR_MS; at < START_MS + (totalHours - 1) * HOUR_MS; at += random.int(60, 300) * MINUTE_MS) {
      outages.push({ from: at, until: at + random.int(15, 50) * MINUTE_MS });
    }
    world.targets.plan(id, outages);
  }
  world.start();
  for (let hour = 0; hour < totalHours; hour += 3) {
    await world.run(3 * HOUR_MS);
    random.pick(world.controllers).kill();
  }
  const found = await end(world);
  return { ...found, days: world.db.days.size };
}

/** The owner's clock jumps during an outage, and jumps back ten minutes later. */
export async function clockJumps(byMs: number): Promise<SeedReport & { letters: number }> {
  const { world, monitor, first, second } = await pair({}, { retries: 1 });
  second.kill();
  world.targets.plan(
    monitor.monitor_id,
    [{ from: world.clock.now() + 2 * MINUTE_MS, until: world.clock.now() + 25 * MINUTE_MS }],
  );
  await world.run(6 * MINUTE_MS);
  if (first.process) first.process.offsetMs = byMs;
  await world.run(10 * MINUTE_MS);
  if (first.process) first.process.offsetMs = 0;
  await world.run(25 * MINUTE_MS);
  const found = await end(world);
  return { ...found, letters: world.db.letters.size };
}

/**
 * A probe's disk is restored to its state of a minute ago. In the old epoch, the probe would reuse journaled numbers. Returns how
 * many later results the journal lacks.
 */
export async function diskIsRestored(reuse: boolean): Promise<number> {
  const { world } = await pair({});
  const probe = world.probes[0] as World['probes'][number];
  const backup = structuredClone(probe.disk);
  await world.run(MINUTE_MS);
  probe.kill();
  probe.disk.lanes.clear();
  for (const [key, lane] of backup.lanes) probe.disk.lanes.set(key, lane);
  const restoredAt = world.clock.now();
  probe.start(reuse);
  await world.run(5 * MINUTE_MS);
  await settle(world);
  const isNew = ({ started_at: startedAt }: { started_at: number }): boolean => startedAt > restoredAt;
  const found = [...probe.disk.lanes.values()].flatMap(({ results }) => results).filter(isNew);
  const journaled = new Set((world.db.truth.get(SHARD) ?? []).flatMap(
    ({ batches }) => batches.flatMap(({ batch }) => batch.results),
  ).map((result) => result.started_at));
  return found.filter((result) => !journaled.has(result.started_at)).length;
}

/** The scenarios that can be run by name. */
export const SCENARIOS: Readonly<Record<string, () => Promise<SeedReport>>> = {
  'stale-owner-finds-its-number-free': staleOwnerFindsItsNumberFree,
  'stale-owner-writes-an-old-state': staleOwnerWritesAnOldState,
  'stale-owner-writes-an-old-block': staleOwnerWritesAnOldBlock,
  'stale-owner-moves-the-snapshot-back': staleOwnerMovesTheSnapshotBack,
  'changed-while-unmarked': changedWhileUnmarked, 'all-controllers-down': allControllersDown,
  'database-down': databaseDown, 'dies-before-effects': diesBeforeEffects,
  'last-batch-is-repeated': () => lastBatchIsRepeated(),
  'dies-after-a-snapshot': diesAfterASnapshot, 'inserts-get-no-response': insertsGetNoResponse,
  'backlog-sends-no-alert': backlogSendsNoAlert, 'paused-before-its-results': pausedBeforeItsResults,
  'clock-jumps-ahead': () => clockJumps(10 * MINUTE_MS),
  'clock-jumps-back': () => clockJumps(-10 * MINUTE_MS), 'a-day-goes-by': () => aDayGoesBy(1),
};
