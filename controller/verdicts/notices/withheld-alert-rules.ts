import { lastResultAt } from '../time-accounting/time-accounting-rules.ts';
import type { Alert, AlertEvent } from '../effect.ts';
import { instantOf } from './flap-rules.ts';
import { alertsHeldUntil, maintenanceEndAt } from '../time-accounting/maintenance-rules.ts';
import type { MonitorItem, MonitorState, WithheldEvent } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { alertNoData } from './no-data-rules.ts';

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
  if (instant !== null && alertsHeldUntil(config, at) === at) release(step, events);
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

function release(step: MonitorStep, events: Set<WithheldEvent>): void {
  const { outage, slow } = step.state;
  const down = step.regions.filter((name) => step.state.regions[name]?.verdict === 'down');
  if (events.has('monitor.down') && outage) step.alertOutage('monitor.down', outage, down, null);
  if (events.has('monitor.slow_response') && slow) {
    step.alertOutage('monitor.slow_response', slow, step.regions, null);
  }
  if (events.has('monitor.no_data')) alertNoData(step, 'monitor.no_data');
  events.clear();
}
