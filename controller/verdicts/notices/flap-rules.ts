import type { Alert } from '../effect.ts';
import type { MonitorConfig } from '../monitor-config.ts';
import type { Flaps, MonitorEffect, MonitorItem } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

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
    case 'unwatched': return null;
    case 'hour': return item.until;
    case 'config': return item.config.changed_at;
  }
}
