import { factsOf, maintenanceOf } from '../../controller/rehearsal/fact-rules.ts';
import { MonitorRehearsal } from '../../controller/rehearsal/monitor-rehearsal.ts';
import type { PastIncident } from '../../controller/incidents/past-incident.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import type { ShardState } from '../../controller/results/state/shard-state.ts';
import type { MaintenanceRange, MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { HOUR_MS, hourOf } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { shardMap } from '../helpers/shard-map.ts';
import { rowsOf } from './check-results.ts';
import { Random } from './random.ts';
import { settle } from './run-seed.ts';
import type { MonitorRow } from './simulated-database.ts';
import type { Outage } from './targets.ts';
import { MINUTE_MS, START_MS, World } from './world.ts';

const REGIONS = ['eu', 'us', 'ap'];

/** An alert of a monitor, when its outage began, and when it happened. Unix ms. */
export interface SentAlert {
  monitor_id: string;
  event: string;
  began_at: number;
  at: number;
}

/** How probes fail: they stop, or their results arrive later and out of order. */
export type ProbeProblem = 'stopped' | 'cut off';

export interface RehearsedWorld {
  sent: SentAlert[];
  rehearsed: SentAlert[];
}

/** What the rehearsal tells differently. */
export function differences({ sent, rehearsed }: RehearsedWorld): string[] {
  const [wanted, found] = [sent, rehearsed].map((all) => all.map((one) => JSON.stringify(one))) as [string[], string[]];
  return [...without(wanted, found, 'missing'), ...without(found, wanted, 'invented')];
}

function without(some: string[], others: string[], what: string): string[] {
  const left = [...others];
  return some.flatMap((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0 ? [`${what}: ${one}`] : [];
  });
}

/**
 * A few hours of outages, flapping, silent probes, pauses, maintenance and people who end incidents, and the
 * rehearsal of the results that remain, with the same settings.
 */
export async function rehearseSeed(seed: number, problem: ProbeProblem, hours = 3): Promise<RehearsedWorld> {
  const written = new Map<string, Written>();
  const world = new World({
    seed, controllers: 1, regions: REGIONS,
    disguise: ({ incidents, ...stores }, _world, controller) => {
      const now = () => controller.process?.now() ?? 0;
      return { ...stores, incidents: {
        ...incidents,
        open: (opening) => {
          if (!written.has(opening.id)) written.set(opening.id, { opened_at: now(), resolved_at: null });
          return incidents.open(opening);
        },
        resolve: (resolution) => {
          const found = written.get(resolution.id);
          if (found) found.resolved_at ??= now();
          return incidents.resolve(resolution);
        },
      } };
    },
  });
  const random = new Random(seed);
  const untilMs = START_MS + hours * HOUR_MS;
  const windows = createMonitors(world, random, untilMs);
  const ends = new Map<string, number>();
  world.start();
  while (world.clock.now() < untilMs) {
    await world.run(random.int(2, 10) * MINUTE_MS);
    await disturb(world, random, problem, ends);
  }
  recoverProbes(world);
  await world.run(10 * MINUTE_MS);
  const endMs = world.clock.now();
  await settle(world);
  const states = await world.statesOfOwners();
  const monitors = [...world.db.monitors.values()].map(({ config }) => config);
  return {
    sent: sentUntil(world, endMs),
    rehearsed: monitors.flatMap((config) => {
      const state = states.get(shardMap.of(config.monitor_id))?.[0];
      return state ? rehearse(world, config, state, {
        windows: windows.get(config.monitor_id) ?? [], incidents: pastIncidents(world, config, { written, ends, endMs }), endMs,
      }) : [];
    }).sort(byTime),
  };
}

function createMonitors(world: World, random: Random, untilMs: number): Map<string, MaintenanceRange[]> {
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
  return windows;
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

async function disturb(
  world: World, random: Random, problem: ProbeProblem, ends: Map<string, number>,
): Promise<void> {
  const ids = [...world.db.monitors.keys()];
  const kind = random.int(0, 5);
  if (kind === 0) {
    const id = random.pick(ids.slice(0, 5));
    const { status, check_revision } = (world.db.monitors.get(id) as MonitorRow).config;
    world.changeMonitor(id, { status: status === 'active' ? 'paused' : 'active', check_revision });
  } else if (kind === 1) {
    const probe = random.pick(world.probes);
    if (problem === 'stopped') probe.kill();
    else world.network.cutOff.add(probe.probeId);
  } else if (kind === 2) recoverProbes(world);
  else if (kind === 3) await endIncident(world, random, ends);
}

function recoverProbes(world: World): void {
  world.network.cutOff.clear();
  for (const probe of world.probes) if (probe.process.isDead) probe.start();
}

/** A person resolves an open incident. */
async function endIncident(world: World, random: Random, ends: Map<string, number>): Promise<void> {
  const open = [...world.db.incidents.values()].filter(({ opening, resolution }) => (
    resolution === null && !opening.late && opening.type !== 'slow_response' && !ends.has(opening.id)
  ));
  if (open.length === 0) return;
  const { opening } = random.pick(open);
  const { id: incident_id, monitor: { monitor_id } } = opening;
  const at = world.clock.now();
  const [owner] = world.ownersOf(shardMap.of(monitor_id));
  const noted = owner?.shards?.get(shardMap.of(monitor_id))?.ask<string[]>((respond) => (
    { kind: 'manualEnds', ends: [{ incident_id, monitor_id, at }], respond }
  ));
  noted?.catch(() => undefined);
  ends.set(incident_id, at);
}

/** When an incident was written, Unix ms. */
interface Written {
  opened_at: number;
  resolved_at: number | null;
}

/** The incidents of a monitor as they are stored. `ends`: when people ended them. */
function pastIncidents(
  world: World, { monitor_id }: MonitorConfig,
  { written, ends, endMs }: { written: Map<string, Written>; ends: Map<string, number>; endMs: number },
): PastIncident[] {
  const own = [...world.db.incidents.values()].filter(({ opening }) => (
    opening.monitor.monitor_id === monitor_id && opening.type !== 'slow_response'
  ));
  return own.flatMap(({ opening, resolution }): PastIncident[] => {
    const { id, severity, type, error_message, started_at, late = false, maintenance_until = null } = opening;
    const { opened_at = 0, resolved_at = null } = written.get(id) ?? {};
    const endedAt = ends.get(id);
    const ended = endedAt !== undefined ? { at: endedAt, by_hand: true, changed_at: endedAt }
      : resolution && { at: resolution.resolved_at, by_hand: false, changed_at: resolved_at ?? 0 };
    if (opened_at > endMs) return [];
    return [{
      id, monitor_id, project_id: '', severity, type, error_message, features: [], started_at, opened_at,
      acknowledged_at: null, ended: ended && ended.changed_at <= endMs ? ended : null, late, maintenance_until,
    }];
  }).sort((one, other) => one.started_at - other.started_at);
}

function sentUntil(world: World, endMs: number): SentAlert[] {
  return [...world.db.alerts.values()].flatMap((alert): SentAlert[] => {
    const { event, incident, at, monitor: { monitor_id } } = alert;
    if ((event !== 'monitor.down' && event !== 'monitor.up') || at > endMs) return [];
    return [{ monitor_id, event, began_at: incident?.started_at ?? 0, at }];
  }).sort(byTime);
}

interface Known {
  windows: MaintenanceRange[];
  incidents: PastIncident[];
  endMs: number;
}

function rehearse(
  world: World, config: MonitorConfig, state: ShardState, { windows, incidents, endMs }: Known,
): SentAlert[] {
  const { monitor_id: id } = config;
  const changes = [...world.db.statusChanges.values()].filter((one) => one.monitor_id === id && one.at <= endMs)
    .sort((one, other) => one.at - other.at);
  const maintenance = maintenanceOf(changes, windows, endMs);
  const rehearsal = new MonitorRehearsal({
    config: { ...config, maintenance }, changes, facts: factsOf(changes, incidents), features: [], incidents,
  }, true);
  const byHour = new Map<number, ResultColumns>();
  const rows = (rowsOf(world, state).get(id) ?? []).toSorted((one, other) => one.started_at - other.started_at);
  for (const row of rows) {
    const hour = hourOf(row.started_at);
    const columns = byHour.get(hour) ?? new ResultColumns();
    byHour.set(hour, columns);
    columns.add(row);
  }
  for (const [hour, columns] of byHour) rehearsal.addHour(hour, columns);
  return rehearsal.finish(endMs).events.flatMap((event): SentAlert[] => {
    if (event.kind !== 'alert') return [];
    const { event: name, incident, at } = event.alert;
    return [{ monitor_id: id, event: name, began_at: incident?.started_at ?? 0, at }];
  });
}

function byTime(one: SentAlert, other: SentAlert): number {
  return (one.monitor_id < other.monitor_id ? -1 : one.monitor_id > other.monitor_id ? 1 : 0) || one.at - other.at;
}
