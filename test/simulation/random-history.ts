import type { DestinationDoc } from '../../controller/destinations/destination.ts';
import type { MaintenanceRange } from '../../controller/verdicts/monitor-config.ts';
import type { Random } from './random.ts';
import { TENANT, type SimulatedAlerting } from './simulated-alerting.ts';
import type { MonitorRow } from './simulated-database.ts';
import type { Outage } from './targets.ts';
import { MINUTE_MS, START_MS, type World } from './world.ts';

export const REGIONS = ['eu', 'us', 'ap'];

/** How probes fail: they stop, or their results arrive later and out of order. */
export type ProbeProblem = 'stopped' | 'cut off';

/** One receiver for each condition, and one for all of them. */
export function randomDestinations(random: Random): DestinationDoc[] {
  const delay = { delay_minutes: random.int(1, 6) };
  const reminders = { reminder_minutes: random.int(5, 15) };
  const all = [
    {}, delay, { ...delay, ...reminders }, { hours: hours(random, 'hold'), ...reminders },
    { hours: hours(random, 'drop'), ...delay }, { grouping: 'auto' as const },
    { grouping: 'auto' as const, ...delay, ...reminders, hours: hours(random, 'hold') },
  ];
  return all.map((conditions, at) => ({
    _id: `destination-${at}`, organization_id: TENANT.organizationId, project_id: TENANT.projectId, created_by: '',
    name: `destination ${at}`, enabled: true, is_default: true, events: ['monitor.down', 'monitor.up'],
    secret: 'secret', revision: 1, managed_by: null, created_at: 0, updated_at: 0, type: 'webhook',
    config: { url: `https://receiver.example/destination-${at}`, method: 'POST', headers: [] }, ...conditions,
  }));
}

function hours(random: Random, outside: 'hold' | 'drop') {
  const from = START_MS + random.int(10, 80) * MINUTE_MS;
  const timeOf = (at: number) => new Date(at).toISOString().slice(11, 16);
  const to = from + random.int(20, 60) * MINUTE_MS;
  return { timezone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: timeOf(from), to: timeOf(to), outside };
}

/** Returns the maintenance of each monitor. */
export function createMonitors(world: World, random: Random, untilMs: number): Map<string, MaintenanceRange[]> {
  const windows = new Map<string, MaintenanceRange[]>();
  const policies = ['majority', 'majority', 'any', 'all', 2] as const;
  for (let at = 0; at < 6; at += 1) {
    const from = START_MS + random.int(20, 60) * MINUTE_MS;
    const range = { from, until: from + random.int(10, 40) * MINUTE_MS, holds_alerts: at !== 1 };
    const maintenance = at < 2 ? [range] : [];
    const { monitor_id: id } = world.createMonitor({
      interval_ms: random.pick([30_000, MINUTE_MS]), retries: random.int(0, 2), recoveries: random.int(0, 2),
      quorum: random.pick(policies), monitoring_regions: at === 2 ? [random.pick(REGIONS)] : REGIONS, maintenance,
    });
    windows.set(id, maintenance);
    world.targets.plan(id, outages(random, untilMs, at === 3 ? 3 : 40));
  }
  const heartbeat = { interval_ms: 2 * MINUTE_MS, grace_ms: MINUTE_MS / 2 };
  const job = world.createMonitor({ type: 'HEARTBEAT', interval_ms: heartbeat.interval_ms, heartbeat });
  world.targets.plan(job.monitor_id, outages(random, untilMs, 30));
  world.startJob(job, heartbeat.interval_ms);
  createDependents(world, random, untilMs);
  createNeighbors(world, random, untilMs);
  return windows;
}

/**
 * A monitor and two that depend on it. Checks of dependencies at the moment of an alert are not stored, so that
 * no outage of its own begins shortly before the dependency's, nor ends shortly after it.
 */
function createDependents(world: World, random: Random, untilMs: number): void {
  const settings = () => ({ ...policyOf(random), interval_ms: 30_000 });
  const { monitor_id: dependency } = world.createMonitor(settings());
  const common = outages(random, untilMs, 40);
  world.targets.plan(dependency, common);
  for (let at = 0; at < 2; at += 1) {
    const { monitor_id: id } = world.createMonitor({ ...settings(), depends_on: [dependency] });
    const own = outages(random, untilMs, 60).filter(({ from, until }) => (
      common.every((one) => until + APART_MS < one.from || from > one.until + APART_MS)
    ));
    world.targets.plan(id, [...own, ...shifted(random, common, 0.8)]);
  }
}

const APART_MS = 4 * MINUTE_MS;
/** The place of the first dependent monitor. */
const DEPENDENTS_FROM = 8;

/** Monitors of one address. */
function createNeighbors(world: World, random: Random, untilMs: number): void {
  const common = outages(random, untilMs, 50);
  for (let at = 0; at < 4; at += 1) {
    const { monitor_id: id } = world.createMonitor({ ...policyOf(random), target: 'https://192.0.2.7/' });
    world.targets.plan(id, [...outages(random, untilMs, 150), ...shifted(random, common, 0.9)]);
  }
}

function policyOf(random: Random) {
  return {
    interval_ms: random.pick([30_000, MINUTE_MS]), retries: random.int(0, 1), recoveries: random.int(0, 1),
    monitoring_regions: REGIONS,
  };
}

/** This share of the outages, each a bit later. */
function shifted(random: Random, all: Outage[], share: number): Outage[] {
  return all.filter(() => random.chance(share)).map(({ from, until }) => (
    { from: from + random.int(0, 15_000), until: until + random.int(0, 40_000) }
  ));
}

/** At most so many minutes apart: a target with short ones flaps. */
function outages(random: Random, untilMs: number, maxApart: number): Outage[] {
  const found: Outage[] = [];
  let at = START_MS + 5 * MINUTE_MS;
  while (at < untilMs) {
    const from = at + random.int(1, maxApart) * MINUTE_MS + random.int(0, 59_999);
    at = from + random.int(60, Math.max(120, maxApart * 30)) * 1000;
    found.push({ from, until: at });
  }
  return found;
}

/** A probe fails, probes recover, or a person pauses or resumes a monitor, or acknowledges or ends an incident. */
export async function disturb(
  world: World, random: Random, alerting: SimulatedAlerting, problem: ProbeProblem,
): Promise<void> {
  const ids = [...world.db.monitors.keys()];
  const kind = random.int(0, 6);
  if (kind === 0) {
    const id = random.pick([...ids.slice(0, 5), ...ids.slice(DEPENDENTS_FROM, DEPENDENTS_FROM + 2)]);
    const { status, check_revision } = (world.db.monitors.get(id) as MonitorRow).config;
    world.changeMonitor(id, { status: status === 'active' ? 'paused' : 'active', check_revision });
  } else if (kind === 1) {
    const probe = random.pick(world.probes);
    if (problem === 'stopped') probe.kill();
    else world.network.cutOff.add(probe.probeId);
  } else if (kind === 2) recoverProbes(world);
  else if (kind === 3 || kind === 4) await changeIncident(world, random, alerting, kind === 3 ? 'resolved' : 'acknowledged');
}

export function recoverProbes(world: World): void {
  world.network.cutOff.clear();
  for (const probe of world.probes) if (probe.process.isDead) probe.start();
}

async function changeIncident(
  world: World, random: Random, alerting: SimulatedAlerting, to: 'acknowledged' | 'resolved',
): Promise<void> {
  const span = { since: START_MS, from: world.clock.now(), to: world.clock.now() };
  const all = await alerting.incidents.ofChecksBetween(TENANT.organizationId, span, Infinity);
  const open = all.filter(({ ended, acknowledged_at, late, type }) => (
    ended === null && !late && type !== 'slow_response' && (to === 'resolved' || acknowledged_at === null)
  ));
  if (open.length > 0) await alerting.change(random.pick(open).id, to);
}
