import type { MonitorState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

/** No alert before this many intervals without data: an infrequently checked monitor reports less often. */
const MIN_INTERVALS = 3;

/**
 * When a no-data alert is due, Unix ms: after the monitor was unknown for the larger of `afterMs` and three
 * intervals. Null if it is not unknown, was never checked, is a heartbeat or was alerted. Time before
 * `monitoredSince` (Unix ms) does not count, because no controller was receiving results.
 */
export function noDataAt(state: MonitorState, afterMs: number, monitoredSince: number): number | null {
  if (!isWithoutData(state) || state.no_data_since !== null) return null;
  const delayMs = Math.max(afterMs, MIN_INTERVALS * state.config.interval_ms);
  return Math.max(state.since, monitoredSince) + delayMs;
}

/** Alerts that there is no data, once. `monitor.no_data_resolved` follows when the monitor has a status. */
export function applyNoData(step: MonitorStep): void {
  const { state } = step;
  if (!isWithoutData(state) || state.no_data_since !== null) return;
  alertNoData(step, 'monitor.no_data');
  step.state = { ...step.state, no_data_since: state.since };
}

/** Alerts that there is data again, unless a person ended the condition, for example by a pause. */
export function resolveNoData(step: MonitorStep): void {
  const { state } = step;
  if (state.no_data_since === null || isWithoutData(state)) return;
  if (state.status !== 'unknown' && state.status !== 'paused') alertNoData(step, 'monitor.no_data_resolved');
  step.state = { ...step.state, no_data_since: null };
}

function isWithoutData({ config, status, heartbeat, last_check_at: checkedAt }: MonitorState): boolean {
  return status === 'unknown' && config.status === 'active' && !heartbeat && checkedAt !== null;
}

/** Alerts of a period without data that began when the monitor became unknown. */
export function alertNoData(step: MonitorStep, event: 'monitor.no_data' | 'monitor.no_data_resolved'): void {
  const { since, last_success_at: at, last_success_ms: ms } = step.state;
  step.alert(event, {
    incident: null, error: null, regions: step.regions, at: since,
    last_success: at === null ? null : { at, response_time_ms: ms },
  });
}
