import { lastResultAt } from '../time-accounting/time-accounting-rules.ts';
import type { Alert, AlertEvent } from '../effect.ts';
import { instantOf } from './flap-rules.ts';
import { alertsHeldUntil, maintenanceEndAt } from '../time-accounting/maintenance-rules.ts';
import type { MonitorItem, MonitorState, WithheldEvent } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { alertNoData } from './no-data-rules.ts';

/** Alerts that end what another one began. */
const START_EVENT_OF: Partial<Record<AlertEvent, WithheldEvent>> = {
  'monitor.up': 'monitor.down', 'monitor.slow_response_resolved': 'monitor.slow_response',
  'monitor.no_data_resolved': 'monitor.no_data',
};

/**
 * Holds the alerts of troubles that begin in maintenance. A trouble that ends in it alerts nobody; one that
 * lasts longer is alerted when the maintenance is over. What people were told of before it, they hear the end
 * of at once. Incidents open as always, and say that they began in maintenance.
 */
export function withholdAlerts(step: MonitorStep, item: MonitorItem): void {
  const { state: { config, withheld }, effects } = step;
  if (withheld === null && (!config.maintenance?.length || effects.length === 0)) return;
  const instant = instantOf(item);
  // Regions report out of order: maintenance that has begun for one is not over for another.
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

/** Decides about one alert, and notes in `events` what is withheld from now on. */
function isWithheld(step: MonitorStep, alert: Alert, at: number, events: Set<WithheldEvent>): boolean {
  const { event } = alert;
  const startEvent = START_EVENT_OF[event];
  if (startEvent !== undefined) return events.delete(startEvent);
  if (alertsHeldUntil(step.state.config, at) === at) {
    // An earlier one need not be sent as well.
    if (alert.reopened) events.delete('monitor.down');
    return false;
  }
  switch (event) {
    case 'monitor.down':
      // Alerts of a flapping monitor are held already, until it is steady.
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

/** Regions that are still down then are told of after the maintenance. */
function withoutAlerted(regions: MonitorState['regions'], names: string[]): MonitorState['regions'] {
  const entries = Object.entries(regions).map(([name, region]) => {
    if (!names.includes(name)) return [name, region] as const;
    const { is_alerted: _alerted, ...rest } = region;
    return [name, rest] as const;
  });
  return Object.fromEntries(entries);
}

/** Ended without an alert, by a pause for example. */
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
