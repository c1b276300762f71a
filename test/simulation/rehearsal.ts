import { systemClock } from '../../shared/time.ts';
import type { PastIncident } from '../../controller/incidents/past-incident.ts';
import { factsOf, maintenanceOf } from '../../controller/rehearsal/fact-rules.ts';
import { MonitorRehearsal } from '../../controller/rehearsal/monitor-rehearsal.ts';
import { playAlerts, type History } from '../../controller/rehearsal/rehearsal.ts';
import { Turns } from '../../controller/rehearsal/turns.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import type { ShardState } from '../../controller/results/state/shard-state.ts';
import type { MaintenanceRange, MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { HOUR_MS, hourOf } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { shardMap } from '../helpers/shard-map.ts';
import { NO_DATA_AFTER_MS } from '../helpers/take-limits.ts';
import { rowsOf } from './check-results.ts';
import { messageDifferences, type ComparedMessages } from './compare-messages.ts';
import { createMonitors, disturb, randomDestinations, recoverProbes, REGIONS, type ProbeProblem } from './random-history.ts';
import { Random } from './random.ts';
import { settle } from './run-seed.ts';
import { featureCounts, relatedMonitors, SimulatedAlerting, TENANT, type SentMessage } from './simulated-alerting.ts';
import { MINUTE_MS, START_MS, World } from './world.ts';

/** An alert of a monitor, when its outage began, and when it happened. Unix ms. */
export interface SentAlert {
  monitor_id: string;
  event: string;
  began_at: number;
  at: number;
}

export interface RehearsedWorld {
  sent: SentAlert[];
  rehearsed: SentAlert[];
  /** Null if results arrived late: when is not stored, which moves what is due and what ends meanwhile. */
  messages: ComparedMessages | null;
}

/** What the rehearsal tells differently. */
export function differences({ sent, rehearsed, messages }: RehearsedWorld): string[] {
  const [wanted, found] = [sent, rehearsed].map((all) => all.map((one) => JSON.stringify(one))) as [string[], string[]];
  return [
    ...without(wanted, found, 'missing'), ...without(found, wanted, 'invented'),
    ...(messages ? messageDifferences(messages) : []),
  ];
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
export async function rehearseSeed(seed: number, problem: ProbeProblem, hours = 2): Promise<RehearsedWorld> {
  const random = new Random(seed);
  const alerting = new SimulatedAlerting(randomDestinations(random));
  const world = new World({
    seed, controllers: 1, regions: REGIONS,
    disguise: (stores, of, controller) => alerting.attach(stores, of, controller),
  });
  const untilMs = START_MS + hours * HOUR_MS;
  const windows = createMonitors(world, random, untilMs);
  world.start();
  while (world.clock.now() < untilMs) {
    await world.run(random.int(2, 10) * MINUTE_MS);
    await disturb(world, random, alerting, problem);
  }
  recoverProbes(world);
  await world.run(10 * MINUTE_MS);
  const endMs = world.clock.now();
  await settle(world);
  const history = await historyOf(world, alerting, windows, endMs);
  return {
    sent: sentUntil(world, endMs), rehearsed: alertsIn(history),
    messages: problem === 'cut off' ? null : await comparedMessages(world, alerting, history, endMs),
  };
}

/** The incidents as they are stored at the end. */
async function pastIncidents(alerting: SimulatedAlerting, endMs: number): Promise<PastIncident[]> {
  const span = { since: 0, from: 0, to: endMs };
  const all = await alerting.incidents.ofChecksBetween(TENANT.organizationId, span, Infinity);
  return all.filter(({ opened_at, type }) => opened_at <= endMs && type !== 'slow_response').map((one) => (
    { ...one, ended: one.ended && one.ended.changed_at <= endMs ? one.ended : null }
  ));
}

async function historyOf(
  world: World, alerting: SimulatedAlerting, windows: Map<string, MaintenanceRange[]>, endMs: number,
): Promise<History> {
  const [states, incidents] = [await world.statesOfOwners(), await pastIncidents(alerting, endMs)];
  return new Map([...world.db.monitors].flatMap(([id, { config }]) => {
    const state = states.get(shardMap.of(id))?.[0];
    const own = incidents.filter((one) => one.monitor_id === id);
    const known = { windows: windows.get(id) ?? [], incidents: own, endMs };
    return state ? [[id, rehearse(world, config, state, known)] as const] : [];
  }));
}

function sentUntil(world: World, endMs: number): SentAlert[] {
  return [...world.db.alerts.values()].flatMap((alert): SentAlert[] => {
    const { event, incident, at, monitor: { monitor_id } } = alert;
    if ((event !== 'monitor.down' && event !== 'monitor.up') || at > endMs) return [];
    return [{ monitor_id, event, began_at: incident?.started_at ?? 0, at }];
  }).sort(byTime);
}

function alertsIn(history: History): SentAlert[] {
  return [...history].flatMap(([monitor_id, { events }]) => events.flatMap((event): SentAlert[] => {
    if (event.kind !== 'alert') return [];
    const { event: name, incident, at } = event.alert;
    return [{ monitor_id, event: name, began_at: incident?.started_at ?? 0, at }];
  })).sort(byTime);
}

interface Known {
  windows: MaintenanceRange[];
  incidents: PastIncident[];
  endMs: number;
}

function rehearse(world: World, config: MonitorConfig, state: ShardState, { windows, incidents, endMs }: Known) {
  const { monitor_id: id } = config;
  const changes = [...world.db.statusChanges.values()].filter((one) => one.monitor_id === id && one.at <= endMs)
    .sort((one, other) => one.at - other.at);
  const maintenance = maintenanceOf(changes, windows, endMs);
  const { features = [] } = world.db.features.get(id) ?? {};
  const rehearsal = new MonitorRehearsal({
    config: { ...config, maintenance }, changes, facts: factsOf(changes, incidents), features, incidents,
    noDataAfterMs: NO_DATA_AFTER_MS,
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
  return rehearsal.finish(endMs);
}

async function comparedMessages(
  world: World, alerting: SimulatedAlerting, history: History, endMs: number,
): Promise<ComparedMessages> {
  const [causes, moments] = [new Map<string, string>(), new Map<string, number[]>()];
  const incidents = await pastIncidents(alerting, endMs);
  const endedByHand = new Set(incidents.flatMap(({ id, ended }) => (ended?.by_hand ? [id] : [])));
  for (const { id, opened_at, acknowledged_at, ended } of incidents) {
    const cause = (await alerting.incidents.findById(id))?.cause_id;
    const own = [acknowledged_at, ended?.changed_at].flatMap((at) => at ?? []);
    moments.set(id, own);
    if (cause !== undefined) moments.set(cause, [...moments.get(cause) ?? [], opened_at, ...own]);
    if (cause !== undefined) causes.set(id, cause);
  }
  const grouped = new Set(alerting.destinations.flatMap(({ _id, grouping }) => (grouping === 'auto' ? [_id] : [])));
  const view = (one: SentMessage) => {
    const { destination_id, incident_id } = one;
    return { ...one, subject: (grouped.has(destination_id) ? causes.get(incident_id) : null) ?? incident_id };
  };
  const rehearsed = await rehearsedMessages(world, alerting, history, endMs);
  return {
    sent: alerting.sent.filter(({ at }) => at <= endMs).map(view), rehearsed: rehearsed.map(view), moments,
    endedByHand, endMs,
  };
}

/** What each receiver gets according to the rehearsal. */
async function rehearsedMessages(
  { db }: World, { destinations }: SimulatedAlerting, history: History, endMs: number,
): Promise<SentMessage[]> {
  const features = [...new Set([...db.features.values()].flatMap((one) => one.features))];
  const { counts, total } = featureCounts(db, { read: async (respond) => respond() });
  const population = { having: await counts('', features), total: await total() };
  const ids = [...history.keys()];
  const stage = {
    tenant: TENANT, population, shardMap, alerted: new Set(ids), others: [], heedsDependencies: true, to: endMs,
    monitors: new Map(relatedMonitors(db, ids).map((one) => [one._id, one])),
    groupingOf: async () => ({ tags: [], groupIds: [] }), turns: new Turns(systemClock, () => false),
  };
  const all = await Promise.all(destinations.map(async (one) => {
    const { _id: destination_id, hours, delay_minutes, reminder_minutes, grouping = 'off' } = one;
    const conditions = { hours, delay_minutes, reminder_minutes, grouping };
    const { messages } = await playAlerts(history, { ...stage, conditions });
    return messages.map(({ cause_id: _, ...message }) => ({ ...message, destination_id }));
  }));
  return all.flat();
}

function byTime(one: SentAlert, other: SentAlert): number {
  return (one.monitor_id < other.monitor_id ? -1 : one.monitor_id > other.monitor_id ? 1 : 0) || one.at - other.at;
}
