import type { IncidentOpening } from '../../controller/verdicts/effect.ts';
import type { Outage } from './targets.ts';
import { MINUTE_MS, type World } from './world.ts';

/** An outage of this length must be detected despite any faults. A shorter one may be. */
const SURELY_SEEN_MS = 7 * 60_000;
/** Limit of an incident's delay after its outage, in addition to the interval. */
const SLACK_MS = 5 * 60_000;
/** An outage found before a pause is journaled may be reported. That takes a moment after the user's request. */
const JOURNAL_LAG_MS = 2000;

/** I4, I5: each outage has exactly one incident, alerted as down once, and as up once if it ended by recovery. */
export function checkIncidents(world: World): string[] {
  return [...world.db.monitors.keys()].flatMap((id) => checkMonitor(world, id));
}

/** A domain's expiry crosses two thresholds during a run. Each causes one warning, regardless of replays. */
export function checkWarnings(world: World): string[] {
  return [...world.db.monitors.values()].flatMap(({ config }) => {
    const { monitor_id: id, domain_expires_at: at = null, domain_warning_days: wanted = [] } = config;
    const warned = [...world.db.alerts.values()].filter((alert) => alert.monitor.monitor_id === id)
      .flatMap(({ event, expiry }) => (event === 'monitor.domain_expiring' && expiry ? [expiry.days] : []));
    const isRight = String(warned.toSorted((a, b) => b - a)) === String(at === null ? [] : wanted);
    return isRight ? [] : [`the domain of ${id} was warned of at ${warned} days, not at ${wanted}`];
  });
}

function checkMonitor(world: World, id: string): string[] {
  const violations: string[] = [];
  const spans = spansOf(world, id);
  const taken = new Set<Outage>();
  for (const { opening, resolution } of [...world.db.incidents.values()].filter(
    (incident) => incident.opening.monitor.monitor_id === id,
  )) {
    const span = spans.find((each) => opening.started_at >= each.from && opening.started_at < each.until);
    const name = `incident ${opening.id} of ${id} at ${new Date(opening.started_at).toISOString()}`;
    if (!span && isPingLost(world, opening)) {
      // An outage that begins meanwhile belongs to this incident.
      for (const each of spans) {
        if (each.from >= opening.started_at && each.from < (resolution?.resolved_at ?? Infinity)) {
          taken.add(each);
        }
      }
      continue;
    }
    if (!span) violations.push(`I4: ${name} has no outage`);
    else if (taken.has(span)) violations.push(`I4: ${name} is the second one of its outage`);
    else if (opening.late) {
      taken.add(span);
      if (!resolution) violations.push(`I4: ${name} came late and is not resolved`);
    }
    else {
      taken.add(span);
      if (!world.jobs.has(id) && opening.started_at - span.from > opening.monitor.interval_ms + SLACK_MS) {
        violations.push(`I4: ${name} began ${opening.started_at - span.from} ms after its outage`);
      }
      if (span.until < world.clock.now() - SURELY_SEEN_MS && !resolution) {
        violations.push(`I4: ${name} is not resolved`);
      }
    }
    if (opening.late) violations.push(...checkNotAlerted(world, opening.id, name));
    else if (opening.maintenance_until !== undefined) violations.push(...checkHeld(world, opening.id, name));
    else violations.push(...checkAlerts(world, opening.id, resolution !== null, span?.endedBy ?? 'recovery', name));
  }
  for (const span of spans) {
    if (!taken.has(span) && isOneWithTheLast(world, id, spans, span)) taken.add(span);
    if (!taken.has(span) && isSurelySeen(world, id) && span.until - span.from >= SURELY_SEEN_MS) {
      violations.push(`I4: the outage of ${id} at ${new Date(span.from).toISOString()} has no incident`);
    }
  }
  return violations;
}

/** A pause that ended before it was journaled had no effect, so the earlier incident continues. */
function isOneWithTheLast(world: World, id: string, spans: Span[], span: Span): boolean {
  const last = spans[spans.indexOf(span) - 1];
  if (!last || span.from - last.until > JOURNAL_LAG_MS) return false;
  return [...world.db.incidents.values()].some(({ opening, resolution }) =>
    opening.monitor.monitor_id === id && opening.started_at >= last.from && opening.started_at < last.until &&
      (resolution?.resolved_at ?? Infinity) > span.from);
}

/** True if the job's pings repeatedly failed to reach a healthy owner. To the owner, the job did not run. */
function isPingLost(world: World, { monitor, started_at: at }: IncidentOpening): boolean {
  const { interval_ms: intervalMs = 0, grace_ms: graceMs = 0 } = monitor.heartbeat ?? {};
  return world.lostPings.some(
    (job) => job.id === monitor.monitor_id && job.at > at - intervalMs - graceMs && job.at < at + SLACK_MS,
  );
}

/** Each interruption restarts the countdown, so amid faults only a short countdown is sure to end. */
function isSurelySeen(world: World, id: string): boolean {
  return !world.jobs.has(id) || (world.db.monitors.get(id)?.config.interval_ms ?? 0) <= MINUTE_MS / 2;
}

function checkNotAlerted(world: World, incidentId: string, name: string): string[] {
  const alerts = [...world.db.alerts.values()].filter((alert) => alert.incident?.id === incidentId);
  return alerts.length > 0 ? [`I5: ${name} came late but was alerted ${alerts.length} times`] : [];
}

/** In maintenance, an outage is alerted at most once, and its end only if the start was alerted. */
function checkHeld(world: World, incidentId: string, name: string): string[] {
  const events = [...world.db.alerts.values()].filter((alert) => alert.incident?.id === incidentId)
    .map(({ event }) => event).sort().join();
  const isRight = ['', 'monitor.down', 'monitor.down,monitor.up'].includes(events);
  return isRight ? [] : [`I5: ${name} began in maintenance but was alerted as ${events}`];
}

function checkAlerts(
  world: World, incidentId: string, isResolved: boolean, endedBy: 'recovery' | 'person', name: string,
): string[] {
  const violations: string[] = [];
  const alerts = [...world.db.alerts.values()].filter((alert) => alert.incident?.id === incidentId);
  const count = (event: string): number => alerts.filter((alert) => alert.event === event).length;
  if (count('monitor.down') !== 1) violations.push(`I5: ${name} was alerted as down ${count('monitor.down')} times`);
  const mayBeUp = isResolved ? (endedBy === 'recovery' ? [1] : [0, 1]) : [0];
  if (!mayBeUp.includes(count('monitor.up'))) {
    violations.push(`I5: ${name} was alerted as up ${count('monitor.up')} times`);
  }
  return violations;
}

interface Span extends Outage {
  endedBy: 'recovery' | 'person';
}

/** Outages within the times at which users had the monitor active. */
function spansOf(world: World, id: string): Span[] {
  const configs = world.history.get(id) ?? [];
  const active: Outage[] = [];
  for (const config of configs) {
    const open = active.at(-1);
    if (config.status === 'active' && (!open || open.until !== Infinity)) {
      active.push({ from: config.changed_at, until: Infinity });
    } else if (config.status !== 'active' && open && open.until === Infinity) {
      open.until = config.changed_at + JOURNAL_LAG_MS;
    }
  }
  // A job reports again only on its next run, including that run's retries.
  const silentMs = world.jobs.has(id) ? (configs[0]?.interval_ms ?? 0) + 30_000 : 0;
  return world.targets.outagesOf(id).map(
    ({ from, until }) => ({ from, until: until + silentMs }),
  ).flatMap((outage) => active.flatMap((period): Span[] => {
    const [from, until] =
      [Math.max(outage.from, period.from), Math.min(outage.until, period.until, world.clock.now())];
    return from < until
      ? [{ from, until, endedBy: period.until < outage.until + SLACK_MS ? 'person' : 'recovery' }]
      : [];
  }));
}
