import { fieldError } from '../http/input/validation.ts';
import type { PastIncident } from '../incidents/past-incident.ts';
import type { ConfirmationPolicy } from '../monitors/schema.ts';
import type { ResultColumns } from '../results/hours/result-columns.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import { RehearsedAlerting, type RehearsedAlertingDeps } from './alerting.ts';
import { eventsOf, type MonitorEvent, type MonitorEvents, type Span } from './incident-events.ts';
import { MonitorRehearsal, type MonitorFacts } from './monitor-rehearsal.ts';
import type { Turns } from './turns.ts';

export interface ResultReader {
  /** The hours with results of a monitor from that of `from` to that of `to` (Unix ms), in order. */
  of(monitorId: string, from: number, to: number): AsyncIterable<{ hour: number; columns: ResultColumns }>;
}

/** Maximum events held in memory, about 1 kB each. */
const MAX_EVENTS = 100_000;
const TOO_MUCH = 'Too many outages; choose fewer monitors or a shorter time range';

interface ReplayOptions {
  span: { from: number; to: number };
  turns: Turns;
  /** Of the monitors with these ids, instead of their own. */
  policy: ConfirmationPolicy | undefined;
  changedIds: ReadonlySet<string>;
}

/** By monitor. */
export type History = ReadonlyMap<string, MonitorEvents>;

/**
 * Replays each monitor under its current policy and under the changed one; both histories are the same object
 * if the change has no effect. Throws VALIDATION_ERROR for too many events.
 */
export async function replayMonitors(
  results: ResultReader, monitors: ReadonlyMap<string, MonitorFacts>,
  { span: { from, to }, turns, policy, changedIds }: ReplayOptions,
): Promise<{ today: History; changed: History }> {
  const [today, changed] = [new Map<string, MonitorEvents>(), new Map<string, MonitorEvents>()];
  let count = 0;
  for (const [id, known] of monitors) {
    const other = changedIds.has(id) ? withPolicy(known.config, policy) : known.config;
    const rehearsals = [new MonitorRehearsal(known, true)];
    if (other !== known.config) rehearsals.push(new MonitorRehearsal({ ...known, config: other }, false));
    for await (const { hour, columns } of results.of(id, from, to)) {
      for (const one of rehearsals) one.addHour(hour, columns);
      if (turns.isDue) await turns.pass();
    }
    const [first, last] = [rehearsals[0]?.finish(to), rehearsals[1]?.finish(to)];
    if (first === undefined) continue;
    today.set(id, first);
    changed.set(id, last ?? first);
    count += first.events.length + (last?.events.length ?? 0);
    if (count > MAX_EVENTS) throw fieldError('monitor_ids', TOO_MUCH);
  }
  const isSame = [...monitors.keys()].every((id) => today.get(id) === changed.get(id));
  return { today, changed: isSame ? today : changed };
}

function withPolicy(config: MonitorConfig, policy: ConfirmationPolicy | undefined): MonitorConfig {
  const { recoveries: current = 0 } = config;
  const { regions: quorum = config.quorum, retries = config.retries, recoveries = current } = policy ?? {};
  const isSame = quorum === config.quorum && retries === config.retries && recoveries === current;
  // Heartbeats have no votes.
  return isSame || config.heartbeat ? config : { ...config, quorum, retries, recoveries };
}

interface Stage extends Omit<RehearsedAlertingDeps, 'isFailing'> {
  /** Past incidents of other monitors, whose alerts are not replayed. */
  others: readonly PastIncident[];
  to: number;
  turns: Turns;
}

/** Replays the alerting for the events of the monitors until `to`, Unix ms. */
export async function playAlerts(history: History, { others, to, turns, ...deps }: Stage) {
  const alerting = new RehearsedAlerting({
    ...deps, isFailing: (id, between, now) => isFailing(history.get(id)?.failing ?? [], between, now),
  });
  const events: MonitorEvent[] = [...history.values()].flatMap((one) => one.events);
  for (const incident of others) {
    const { organizationId: organization_id } = deps.tenant;
    const { monitor_id, project_id } = incident;
    // Common causes need nothing else of the monitor.
    const monitor = { monitor_id, organization_id, project_id, name: '', type: 'HTTP' } as MonitorConfig;
    events.push(...eventsOf(incident, monitor));
  }
  for (const event of events.sort((one, other) => one.at - other.at)) {
    if (event.at > to) break;
    await alerting.add(event);
    if (turns.isDue) await turns.pass();
  }
  await alerting.advanceTo(to);
  return { messages: await alerting.messages(), notified: await alerting.notified() };
}

/** Whether a check between two instants fails, and would still fail at `now`. */
function isFailing(failing: readonly Span[], { from, until }: Span, now: number): boolean {
  let [first, end] = [0, failing.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if ((failing[middle] as Span).until <= Math.max(from, now)) first = middle + 1;
    else end = middle;
  }
  return (failing[first]?.from ?? Infinity) < until;
}
