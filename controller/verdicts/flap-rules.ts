import { derivedId } from '../../shared/ids.ts';
import type { Alert } from './effect.ts';
import type { MonitorConfig } from './monitor-config.ts';
import type { Flaps, ItemPlace, MonitorEffect, MonitorItem, MonitorState, MonitorStep } from './monitor-state.ts';

/** So many outages begun within the window make a monitor flap. */
export const FLAP_DOWNS = 5;
const WINDOW_INTERVALS = 40;
const SHORTEST_WINDOW_MS = 60_000;
const LONGEST_WINDOW_MS = 3 * 3_600_000;

/** The stretch in which outages are counted, ms: forty checks, but a minute at least and three hours at most. */
export function flapWindowMs(config: Pick<MonitorConfig, 'interval_ms'>): number {
  return Math.min(LONGEST_WINDOW_MS, Math.max(SHORTEST_WINDOW_MS, WINDOW_INTERVALS * config.interval_ms));
}

/**
 * Keeps a monitor that flaps from paging people each time. The alert of its fifth outage in the window says that it flaps;
 * those of the outages and recoveries after it are held until the status has stayed for a quarter of the window, and if it
 * is up by then, the last recovery is told. Incidents and history are as ever: only alerts are held.
 */
export function holdFlaps(step: MonitorStep, item: MonitorItem, place: ItemPlace): MonitorStep {
  const { state, effects } = step;
  if (state.flaps === null && effects.length === 0) return step;
  if (state.config.status !== 'active') return state.flaps === null ? step : { state: { ...state, flaps: null }, effects };
  let flaps = state.flaps;
  const told: MonitorEffect[] = [];
  for (const effect of effects) {
    const judged = effect.kind === 'alert' ? judge(flaps, effect.alert, state) : { flaps, alert: null };
    flaps = judged.flaps;
    if (effect.kind !== 'alert') told.push(effect);
    else if (judged.alert !== null) told.push({ kind: 'alert', alert: judged.alert });
  }
  const steady = released(state, flaps, item, { n: place.n, index: place.index + effects.length });
  if (effects.length === 0 && steady.effects.length === 0 && steady.flaps === flaps) return step;
  return { state: { ...state, flaps: steady.flaps }, effects: [...told, ...steady.effects] };
}

/** What is left to tell of an alert: null when it is held. */
function judge(flaps: Flaps | null, alert: Alert, state: MonitorState): { flaps: Flaps | null; alert: Alert | null } {
  if (alert.event === 'monitor.down') {
    const windowMs = flapWindowMs(state.config);
    const downs = [...(flaps?.downs ?? []).filter((at) => at > alert.at - windowMs), alert.at].slice(-FLAP_DOWNS);
    if (flaps?.held) return { flaps: { downs, held: { ended: null } }, alert: null };
    if (downs.length < FLAP_DOWNS) return { flaps: { downs, held: null }, alert };
    return { flaps: { downs, held: { ended: null } }, alert: { ...alert, flapping: { downs: downs.length, window_ms: windowMs } } };
  }
  if (alert.event !== 'monitor.up' || !flaps?.held) return { flaps, alert };
  const { incident, error, at } = alert;
  return { flaps: { ...flaps, held: { ended: { incident, error, at } } }, alert: null };
}

/** Once the status has stayed long enough: alerts flow again, and a recovery that nobody was told of is told. */
function released(state: MonitorState, flaps: Flaps | null, item: MonitorItem, place: ItemPlace): { flaps: Flaps | null; effects: MonitorEffect[] } {
  const at = instantOf(item);
  if (flaps === null || at === null) return { flaps, effects: [] };
  const windowMs = flapWindowMs(state.config);
  if (!flaps.held) return { flaps: flaps.downs.some((down) => down > at - windowMs) ? flaps : null, effects: [] };
  if (at - state.since < windowMs / 4) return { flaps, effects: [] };
  const { ended } = flaps.held;
  if (ended === null || state.outage !== null) return { flaps: null, effects: [] };
  const alert: Alert = {
    id: derivedId(state.config.monitor_id, place.n, place.index, 'steady'), event: 'monitor.up', monitor: state.config,
    regions: Object.keys(state.regions), ...ended,
  };
  return { flaps: null, effects: [{ kind: 'alert', alert }] };
}

/** When an item happened; null for what says nothing about now. */
function instantOf(item: MonitorItem): number | null {
  switch (item.kind) {
    case 'result': return item.late || item.result.outcome === 'missed' ? null : item.result.started_at;
    case 'silent': case 'overdue': return item.at;
    case 'ping': return item.ping.at;
    case 'unwatched': return null;
    case 'hour': return item.until;
    case 'config': return item.config.changed_at;
  }
}
