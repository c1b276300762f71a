import { derivedId } from '../../shared/ids.ts';
import { alert, opening, resolution } from './effect-rules.ts';
import type { ItemPlace, MonitorEffect, MonitorState, MonitorStep, Outage } from './monitor-state.ts';

/**
 * Tells of a slow stretch and of its end. The status shows each slow answer; people are told of it once as many in a row
 * were slow as failures make an outage. An outage, a pause and a deletion end the stretch without a word, since nothing
 * became fast; while nothing is heard it stays.
 */
export function tellSlow(step: MonitorStep, place: ItemPlace): MonitorStep {
  const { state } = step;
  const next = { n: place.n, index: place.index + step.effects.length };
  if (state.slow === null) return isConfirmedSlow(state) ? begun(step, next) : step;
  if (state.status === 'degraded' || state.status === 'unknown') return step;
  return ended(step, state.slow, next);
}

function isConfirmedSlow(state: MonitorState): boolean {
  return state.status === 'degraded' && slowRegions(state).length > 0;
}

function slowRegions(state: MonitorState): string[] {
  return Object.keys(state.regions).filter((name) => (state.regions[name]?.slows ?? 0) > state.config.retries);
}

function begun({ state, effects }: MonitorStep, place: ItemPlace): MonitorStep {
  const regions = slowRegions(state);
  const slowest = Math.max(...regions.map((name) => state.regions[name]?.response_time_ms ?? 0));
  const threshold = state.config.slow_response_threshold_ms;
  const slow: Outage = {
    incident_id: derivedId(state.config.monitor_id, place.n, place.index, 'slow'), started_at: state.since, failure_count: 1,
    type: 'slow_response', severity: 'warning',
    message: `Answers in ${Math.round(slowest)} ms${threshold === null ? '' : `, slower than ${threshold} ms`}`,
  };
  const told: MonitorEffect[] = [opening(state, slow, regions)];
  told.push(alert(state, slow, 'monitor.slow_response', { resolvedAt: null, regions }, { n: place.n, index: place.index + told.length }));
  return { state: { ...state, slow }, effects: [...effects, ...told] };
}

function ended({ state, effects }: MonitorStep, slow: Outage, place: ItemPlace): MonitorStep {
  const at = Math.max(state.since, slow.started_at);
  const told: MonitorEffect[] = [resolution(state, slow, at)];
  if (state.status === 'up') {
    const end = { resolvedAt: at, regions: Object.keys(state.regions) };
    told.push(alert(state, slow, 'monitor.slow_response_resolved', end, { n: place.n, index: place.index + told.length }));
  }
  return { state: { ...state, slow: null }, effects: [...effects, ...told] };
}
