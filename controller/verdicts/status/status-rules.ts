import type { CheckError } from '../../../shared/contracts/result.ts';
import type { RuntimeStatus } from '../monitor-config.ts';
import type { MonitorState, Outage } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { accountMonitored, lastResultAt, moveTime } from '../time-accounting/time-accounting-rules.ts';
import { verdictOf } from '../votes/quorum-rules.ts';
import { isAwaitingReports } from '../votes/region-rules.ts';
import { dropSettledOutages, hasRecoveredSince, ongoingSince, reportOverlaps } from './late-outage-rules.ts';

/** How long to wait for more votes before a minority verdict is accepted, ms. */
export const ACCEPT_MINORITY_AFTER_MS = 10_000;

/** Moves the status to the verdict of all votes if they differ. */
export function decide(step: MonitorStep, at: number, reason: string): void {
  step.state = withoutExtraVotes(step.state);
  const { config, status, outage } = step.state;
  if (config.status !== 'active') return;
  const verdict = verdictOf(step.state);
  const isUp = verdict === 'up' || verdict === 'degraded';
  const isAwaiting = isAwaitingReports(step.state);
  // A success from before the outage is no recovery, and a failure from before a recovery confirms nothing.
  const isOutdated = outage
    ? isUp && at <= outage.started_at
    : verdict === 'down' && isAwaiting && hasRecoveredSince(step.state, at);
  const isStatusMoving = verdict !== status && verdict !== 'short' && !isOutdated;
  if (isAwaiting) reportOverlaps(step, isStatusMoving);
  if (isStatusMoving) moveStatus(step, { to: verdict, at, reason });
  if (isAwaiting) step.state = dropSettledOutages(step.state);
}

/** True while the reporting regions vote "down" but are too few for a verdict. */
export function needsMoreVotes({ config, regions }: MonitorState): boolean {
  return config.status === 'active' && verdictOf({ config, regions }) === 'short';
}

/** Drops witness votes and the accepted minority verdict once the regular votes suffice. */
function withoutExtraVotes(state: MonitorState): MonitorState {
  const hasExtraVotes = state.witnesses !== null || state.minority_accepted;
  if (!hasExtraVotes || needsMoreVotes(state)) return state;
  return { ...state, witnesses: null, minority_accepted: false };
}

/** Decides after a region lost its vote, as of the latest results of the other regions. */
export function decideAfterLostVote(step: MonitorStep, at: number, reason: string): void {
  decide(step, Math.max(at, lastResultAt(step.state), step.state.accounted_until), reason);
}

export interface Move {
  to: RuntimeStatus;
  at: number;
  reason: string;
  /** Why it is down, if no region provides an error. */
  error?: CheckError;
}

/** Regions report out of order. A change never precedes the last one, and time accounted past it is moved. */
export function moveStatus(step: MonitorStep, { to, at: reportedAt, reason, error }: Move): void {
  const { status: from, since: last, outage } = step.state;
  const at = Math.max(reportedAt, last);
  const since = to === 'down' ? firstFailure(step.state, at) : at;
  const accounted = accountMonitored(step.state, at);
  const moved = moveTime(accounted, since, accounted.accounted_until, [from, to]);
  step.state = { ...moved, status: to, since };
  if (to === 'down' && !outage) {
    const opened = newOutage(step, error);
    const regions = step.regions.filter((name) => moved.regions[name]?.verdict === 'down');
    step.state = { ...step.state, outage: opened };
    step.addHistory({ from, to, at: since, reason: opened.message }, opened);
    step.open(opened, regions);
    step.alertOutage('monitor.down', opened, regions, null);
    if (!step.state.heartbeat) step.addVotes('down', opened, at);
    return;
  }
  step.addHistory({ from, to, at: since, reason }, outage);
  if ((to !== 'up' && to !== 'degraded') || !outage) return;
  step.resolve(outage, at);
  step.alertOutage('monitor.up', outage, step.regions, at);
  if (!step.state.heartbeat) step.addVotes('up', outage, at);
  step.state = { ...step.state, outage: null };
}

/** When the outage began: the earliest first failure of the down regions after the last change. */
function firstFailure(state: MonitorState, at: number): number {
  let first = isAwaitingReports(state) ? Math.min(at, ongoingSince(state)) : at;
  for (const { verdict, first_fail_at: failedAt } of Object.values(state.regions)) {
    if (verdict === 'down' && failedAt !== null) first = Math.min(first, failedAt);
  }
  return Math.max(first, state.since);
}

function newOutage(step: MonitorStep, error?: CheckError): Outage {
  const { regions, since } = step.state;
  if (error) return step.outage('incident', since, 1, error);
  const down = Object.values(regions).filter(({ verdict }) => verdict === 'down');
  const failures = down.reduce((sum, { fails }) => sum + fails, 0);
  return step.outage('incident', since, failures, down.find((region) => region.error)?.error);
}

/** The outage, if any, with one more failure. */
export function countFailure(outage: Outage | null): Outage | null {
  return outage && { ...outage, failure_count: outage.failure_count + 1 };
}

/**
 * Alerts of the start and end of a slow period. The status reflects every slow response; an alert needs as
 * many in a row as an outage needs failures. An outage, pause or deletion ends the period without an alert.
 */
export function alertSlow(step: MonitorStep): void {
  const { status, since, slow } = step.state;
  if (slow === null && status === 'degraded') startSlowOutage(step);
  if (slow === null || status === 'degraded' || status === 'unknown') return;
  const at = Math.max(since, slow.started_at);
  step.resolve(slow, at);
  if (status === 'up') step.alertOutage('monitor.slow_response_resolved', slow, step.regions, at);
  step.state = { ...step.state, slow: null };
}

function startSlowOutage(step: MonitorStep): void {
  const { config, since } = step.state;
  const { retries, slow_response_threshold_ms: threshold } = config;
  const slowRegions = Object.entries(step.state.regions).filter(([, { slows }]) => slows > retries);
  if (slowRegions.length === 0) return;
  const regions = slowRegions.map(([name]) => name);
  const slowest = Math.max(...slowRegions.map(([, { response_time_ms: ms }]) => ms ?? 0));
  const thresholdText = threshold === null ? '' : `, slower than ${threshold} ms`;
  const slow: Outage = {
    incident_id: step.id('slow'), started_at: since, failure_count: 1,
    type: 'slow_response', severity: config.alert_severity ?? 'warning',
    message: `Response took ${Math.round(slowest)} ms${thresholdText}`,
  };
  step.open(slow, regions);
  step.alertOutage('monitor.slow_response', slow, regions, null);
  step.state = { ...step.state, slow };
}

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
