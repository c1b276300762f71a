import { DAY_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { ALL_CHAOS, Chaos, type ChaosOptions } from './chaos.ts';
import { checkCold } from './check-cold.ts';
import { checkDerived, checkEffects } from './check-derived.ts';
import { checkIncidents, checkWarnings } from './check-incidents.ts';
import { checkResults } from './check-results.ts';
import { checkUptime } from './check-uptime.ts';
import { referenceOf } from './reference.ts';
import { checkPings } from './check-pings.ts';
import { Random } from './random.ts';
import { trace } from './trace.ts';
import type { Outage } from './targets.ts';
import { MINUTE_MS, START_MS, World, type WorldOptions } from './world.ts';
import { shardMap } from '../helpers/shard-map.ts';

export interface SeedOptions extends Partial<WorldOptions> {
  seed: number;
  /** Duration of the faults, and of the recovery afterwards, minutes. */
  chaosMinutes?: number;
  calmMinutes?: number;
  chaos?: ChaosOptions;
  /** Called at the end of the run, before the checks. */
  beforeChecks?: () => void;
  /** Prints the journal's effects on monitors whose ids begin with this text. */
  trace?: string | null;
}

export interface SeedReport {
  seed: number;
  violations: string[];
  faults: Record<string, number>;
  results: number;
  incidents: number;
  entries: number;
  blocks: number;
  /** Hours whose times were verified by an independent computation. */
  hours: number;
  snapshots: number;
  checkpoints: number;
}

const REGIONS = ['eu', 'us', 'ap'];
/** Few, so that monitors share them. */
const SHARDS = [2, 7, 11];

/** One run from a seed: some hours of faults, then recovery, then the invariants. */
export async function runSeed(options: SeedOptions): Promise<SeedReport> {
  const { chaosMinutes = 60, calmMinutes = 8, chaos: level = ALL_CHAOS } = options;
  const world = new World({ controllers: 2 + (options.seed % 2), regions: REGIONS, ...options });
  const untilMs = START_MS + chaosMinutes * MINUTE_MS;
  const chaos = new Chaos(world, level);
  plan(world, chaos, untilMs, options.seed);
  world.start();
  await world.run(20_000);
  chaos.start();
  await world.run(chaosMinutes * MINUTE_MS - 20_000);
  chaos.stop();
  await world.run(calmMinutes * MINUTE_MS);
  await settle(world);
  options.beforeChecks?.();
  if (options.trace) {for (const id of world.db.monitors.keys()) {
    if (id.startsWith(options.trace)) for (const line of trace(world.db, id)) console.log(line);
  }}
  return report(world, options.seed);
}

/** Stops checks, and waits until everything in flight has arrived and all resulting writes are done. */
export async function settle(world: World): Promise<void> {
  for (const probe of world.probes) probe.retire();
  world.areJobsOver = true;
  await world.run(2000);
  for (const id of world.jobs.keys()) world.changeMonitor(id, { status: 'paused' });
  await world.runUntil(() => world.isDrained, 10 * MINUTE_MS);
  await world.run(15_000);
}

function plan(world: World, chaos: Chaos, untilMs: number, seed: number): void {
  const random = world.random.fork();
  const create = (overrides: Parameters<World['createMonitor']>[0]): void => {
    const { monitor_id: id } =
      world.createMonitor({ shard: random.pick(SHARDS), retries: random.int(0, 2), ...overrides });
    world.targets.plan(id, outages(random, untilMs));
  };
  const domain_expires_at = START_MS + 7 * DAY_MS + MINUTE_MS;
  const recoveries = (factor: number) => Math.floor(seed / factor) % 3;
  create({ interval_ms: MINUTE_MS, domain_warning_days: [30, 7], domain_expires_at });
  create({
    interval_ms: MINUTE_MS, monitoring_regions: [random.pick(REGIONS)], quorum: 'any', recoveries: recoveries(1),
  });
  create({
    interval_ms: 30_000, monitoring_regions: REGIONS.slice(0, 2), quorum: 'all', recoveries: recoveries(3),
  });
  const jobs = new Random(random.int(0, 2 ** 31));
  for (const intervalMs of [20_000, MINUTE_MS, 5 * MINUTE_MS]) {
    const grace_ms = Math.max(15_000, intervalMs / 4);
    // The job starts with a minute, and so does the simulation.
    const scheduled = { schedule: { cron: '* * * * *', timezone: 'UTC' }, first_due_at: START_MS + MINUTE_MS };
    const heartbeat = { interval_ms: intervalMs, grace_ms, ...(intervalMs === MINUTE_MS ? scheduled : {}) };
    const config = world.createMonitor({
      shard: jobs.pick(SHARDS), type: 'HEARTBEAT', interval_ms: intervalMs, heartbeat,
    });
    world.targets.plan(config.monitor_id, outages(jobs, untilMs));
    world.startJob(config, intervalMs);
  }
  for (const status of ['active', 'active', 'paused'] as const) {
    create({ status });
    chaos.touchable.push([...world.db.monitors.keys()].at(-1) as string);
  }
}

function outages(random: Random, untilMs: number): Outage[] {
  const found: Outage[] = [];
  for (let at =
    START_MS + random.int(2, 40) * MINUTE_MS; at < untilMs; at += random.int(10, 50) * MINUTE_MS) {
    const forMs = random.int(8 * 60, 20 * 60) * 1000;
    found.push({ from: at, until: at + forMs });
    at += forMs;
  }
  return found;
}

/** All invariants at the end of a run. */
export async function report(world: World, seed: number): Promise<SeedReport> {
  const references = Array.from({ length: shardMap.count }, (_, shard) => referenceOf(world.db, shard));
  const states = await world.statesOfOwners();
  const uptime = checkUptime(world, references);
  const violations = [
    ...uptime.violations,
    ...checkResults(world, references, states), ...checkPings(world, references),
    ...checkDerived(world, references, states),
    ...checkIncidents(world), ...checkWarnings(world),
    ...(await checkCold(world, references)), ...checkEffects(world, references),
  ];
  const { db } = world;
  return {
    seed, violations, faults: world.faults,
    results: references.reduce((sum, reference) => sum + reference.accepted.length, 0),
    entries: references.reduce((sum, reference) => sum + reference.state.n, 0),
    incidents: db.incidents.size, blocks: db.blocks.size, hours: uptime.hours,
    checkpoints: db.checkpoints.size,
    snapshots: [...db.snapshots.values()].filter(({ position }) => position > 0).length,
  };
}
