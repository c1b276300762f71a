import type { MonitorState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

/** Shorter than this many intervals, a silence is not told: a slow monitor is not heard more often. */
const MIN_INTERVALS = 3;

/**
 * When people are told that nobody knows how a monitor is, Unix ms: once it has been unknown for the larger
 * of `afterMs` and three intervals. Null if it is not unknown, was never checked, is a heartbeat, or if they
 * were told. Time before `watchedSince` (Unix ms) does not count: nobody was here to hear of it.
 */
export function noDataAt(state: MonitorState, afterMs: number, monitoredSince: number): number | null {
  if (!isWithoutData(state) || state.no_data_since !== null) return null;
  const delayMs = Math.max(afterMs, MIN_INTERVALS * state.config.interval_ms);
  return Math.max(state.since, monitoredSince) + delayMs;
}

/** Tells that there is no data, once. `monitor.no_data_resolved` follows when the monitor has a status. */
export function applyNoData(step: MonitorStep): void {
  const { state } = step;
  if (!isWithoutData(state) || state.no_data_since !== null) return;
  alertNoData(step, 'monitor.no_data');
  step.state = { ...step.state, no_data_since: state.since };
}

/** Tells that there is data again, unless people have ended the wait: by a pause, say. */
export function resolveNoData(step: MonitorStep): void {
  const { state } = step;
  if (state.no_data_since === null || isWithoutData(state)) return;
  if (state.status !== 'unknown' && state.status !== 'paused') alertNoData(step, 'monitor.no_data_resolved');
  step.state = { ...step.state, no_data_since: null };
}

function isWithoutData({ config, status, heartbeat, last_check_at: checkedAt }: MonitorState): boolean {
  return status === 'unknown' && config.status === 'active' && !heartbeat && checkedAt !== null;
}

/** Alerts of the time without data, from when the monitor became unknown. */
export function alertNoData(step: MonitorStep, event: 'monitor.no_data' | 'monitor.no_data_resolved'): void {
  const { since, last_success_at: at, last_success_ms: ms = null } = step.state;
  step.alert(event, {
    incident: null, error: null, regions: step.regions, at: since,
    last_success: at === null ? null : { at, response_time_ms: ms },
  });
}
