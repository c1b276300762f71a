import type { Alert, AlertEvent } from '../effect.ts';
import type { MonitorConfig } from '../monitor-config.ts';
import type { Flaps, MonitorEffect, MonitorItem, MonitorState, WithheldEvent } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { alertsHeldUntil, maintenanceEndAt } from '../time-accounting/maintenance-rules.ts';
import { lastResultAt } from '../time-accounting/time-accounting-rules.ts';
import { alertNoData } from '../status/status-rules.ts';

/** The event that each of these ends. */
const START_EVENT_OF: Partial<Record<AlertEvent, WithheldEvent>> = {
  'monitor.up': 'monitor.down', 'monitor.slow_response_resolved': 'monitor.slow_response',
  'monitor.no_data_resolved': 'monitor.no_data',
};

/**
 * Withholds alerts of conditions that begin in maintenance. A condition that also ends in it causes no alert;
 * one that outlasts it is alerted afterwards. Recoveries from earlier conditions are sent at once. Incidents
 * open as usual, marked as begun in maintenance.
 */
export function withholdAlerts(step: MonitorStep, item: MonitorItem): void {
  const { state: { config, withheld }, effects } = step;
  if (withheld === null && (!config.maintenance?.length || effects.length === 0)) return;
  const instant = instantOf(item);
  // Regions report out of order: once maintenance has begun for one, it must not count as over for another.
  const at = Math.max(instant ?? 0, withheld?.at ?? 0, effects.length > 0 ? lastResultAt(step.state) : 0);
  const events = new Set(withheld?.events);
  const maintenanceEnd = maintenanceEndAt(config, at);
  step.effects = effects.flatMap((effect) => {
    if (effect.kind === 'open' && maintenanceEnd > at) {
      return [{ kind: 'open', opening: { ...effect.opening, maintenance_until: maintenanceEnd } }];
    }
    return effect.kind === 'alert' && isWithheld(step, effect.alert, at, events) ? [] : [effect];
  });
  step.omitted += effects.length - step.effects.length;
  for (const event of events) if (!isOngoing(step.state, event)) events.delete(event);
  if (instant !== null && alertsHeldUntil(config, at) === at) sendWithheld(step, events);
  const left = events.size === 0 ? null : { at, events: [...events] };
  if (left !== null || withheld !== null) step.state = { ...step.state, withheld: left };
}

/** When withheld alerts are due, Unix ms; null if there are none. */
export function releaseAt({ config, withheld }: MonitorState): number | null {
  return withheld === null ? null : alertsHeldUntil(config, withheld.at);
}

/** Decides whether to withhold an alert, and updates `events`. */
function isWithheld(step: MonitorStep, alert: Alert, at: number, events: Set<WithheldEvent>): boolean {
  const { event } = alert;
  const startEvent = START_EVENT_OF[event];
  if (startEvent !== undefined) return events.delete(startEvent);
  if (alertsHeldUntil(step.state.config, at) === at) {
    // An earlier one is then redundant.
    if (alert.reopened) events.delete('monitor.down');
    return false;
  }
  switch (event) {
    case 'monitor.down':
      // The alerts of a flapping monitor are already held.
      if (step.state.flaps?.held && !alert.reopened) return false;
      events.add(event);
      return true;
    case 'monitor.slow_response': case 'monitor.no_data':
      events.add(event);
      return true;
    case 'monitor.region_degraded':
      step.state = { ...step.state, regions: withoutAlerted(step.state.regions, alert.regions) };
      return true;
    default:
      return false;
  }
}

/** Regions that are still down are alerted after the maintenance. */
function withoutAlerted(regions: MonitorState['regions'], names: string[]): MonitorState['regions'] {
  const entries = Object.entries(regions).map(([name, region]) => {
    if (!names.includes(name)) return [name, region] as const;
    const { is_alerted: _alerted, ...rest } = region;
    return [name, rest] as const;
  });
  return Object.fromEntries(entries);
}

/** False if it ended without an alert, for example by a pause. */
function isOngoing({ outage, slow, no_data_since: since }: MonitorState, event: WithheldEvent): boolean {
  if (event === 'monitor.down') return outage !== null;
  return (event === 'monitor.slow_response' ? slow : since) !== null;
}

function sendWithheld(step: MonitorStep, events: Set<WithheldEvent>): void {
  const { outage, slow } = step.state;
  const down = step.regions.filter((name) => step.state.regions[name]?.verdict === 'down');
  if (events.has('monitor.down') && outage) step.alertOutage('monitor.down', outage, down, null);
  if (events.has('monitor.slow_response') && slow) {
    step.alertOutage('monitor.slow_response', slow, step.regions, null);
  }
  if (events.has('monitor.no_data')) alertNoData(step, 'monitor.no_data');
  events.clear();
}

/** A monitor flaps if this many outages begin within the window. */
export const FLAP_DOWNS = 5;
const WINDOW_INTERVALS = 40;
const MIN_WINDOW_MS = 60_000;
const MAX_WINDOW_MS = 3 * 3_600_000;

/** The window in which outages are counted, ms. */
export function flapWindowMs(config: Pick<MonitorConfig, 'interval_ms'>): number {
  return Math.min(MAX_WINDOW_MS, Math.max(MIN_WINDOW_MS, WINDOW_INTERVALS * config.interval_ms));
}

/**
 * Limits the alerts of a flapping monitor. The fifth outage's alert reports the flapping; later ones are held
 * until the status is stable for a quarter of the window. If the monitor is up then, the last recovery is
 * sent.
 */
export function holdFlaps(step: MonitorStep, item: MonitorItem): void {
  const { state, effects } = step;
  const count = effects.length;
  if (state.flaps === null && count === 0) return;
  let flaps = state.config.status === 'active' ? state.flaps : null;
  if (state.config.status === 'active') {
    const remaining = effects.flatMap((effect): MonitorEffect[] => {
      if (effect.kind !== 'alert') return [effect];
      const [updated, alert] = decideAlert(flaps, effect.alert, flapWindowMs(state.config));
      flaps = updated;
      return alert === null ? [] : [{ kind: 'alert', alert }];
    });
    flaps = release(step, flaps, instantOf(item));
    // The recovery added by `release` is numbered after the held alerts.
    step.effects = [...remaining, ...effects.slice(count)];
    step.omitted += count - remaining.length;
  }
  if (flaps !== state.flaps) step.state = { ...state, flaps };
}

/** The alert, or null if it is held. */
function decideAlert(flaps: Flaps | null, alert: Alert, windowMs: number): [Flaps | null, Alert | null] {
  // A person ended the incident since, so this is not flapping.
  if (alert.reopened) return [flaps, alert];
  if (alert.event === 'monitor.down') {
    const recent = (flaps?.downs ?? []).filter((at) => at > alert.at - windowMs);
    const downs = [...recent, alert.at].slice(-FLAP_DOWNS);
    if (flaps?.held) return [{ downs, held: { ended: null } }, null];
    if (downs.length < FLAP_DOWNS) return [{ downs, held: null }, alert];
    const flapping = { downs: downs.length, window_ms: windowMs };
    return [{ downs, held: { ended: null } }, { ...alert, flapping }];
  }
  if (alert.event !== 'monitor.up' || !flaps?.held) return [flaps, alert];
  const { incident, error, at } = alert;
  return [{ ...flaps, held: { ended: { incident, error, at } } }, null];
}

/** Stops holding alerts once the status has been stable long enough, and sends the held recovery. */
function release(step: MonitorStep, flaps: Flaps | null, at: number | null): Flaps | null {
  const { config, since, outage } = step.state;
  const windowMs = flapWindowMs(config);
  if (flaps === null || at === null) return flaps;
  if (!flaps.held) return flaps.downs.some((down) => down > at - windowMs) ? flaps : null;
  if (at - since < windowMs / 4) return flaps;
  const { ended } = flaps.held;
  if (ended && !outage) step.alert('monitor.up', { regions: step.regions, ...ended }, 'steady');
  return null;
}

/** When an item happened; null if it is not about the present. */
export function instantOf(item: MonitorItem): number | null {
  switch (item.kind) {
    case 'result': return item.late || item.result.outcome === 'missed' ? null : item.result.started_at;
    case 'silent': case 'overdue': case 'assigned': case 'alone': case 'no_data':
    case 'maintenance': case 'manual_end': case 'reopen': return item.at;
    case 'witness': return item.witness.at;
    case 'ping': return item.ping.at;
    case 'unwatched': case 'due': return null;
    case 'hour': return item.until;
    case 'config': return item.config.changed_at;
  }
}
