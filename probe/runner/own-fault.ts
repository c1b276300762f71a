import { missed, type Finding } from '../checks/check.ts';

/** A failure says nothing about the target if this process was stalled for this share of the timeout. */
const STALLED_SHARE = 0.25;
/**
 * If this process was stalled for longer than this, and than that share of the check, the response time is
 * invalid.
 */
const STALL_MS = 500;

/** How long a check took and was allowed to take, and how long this process was stalled meanwhile, ms. */
interface CheckTimes {
  timeoutMs: number;
  tookMs: number;
  stalledMs: number;
}

/** The finding without anything that a stall of this process may have caused. */
export function withoutOwnFault(found: Finding, { timeoutMs, tookMs, stalledMs }: CheckTimes): Finding {
  const isSlow = found.error?.type === 'slow_response';
  if (found.outcome === 'failure' && !isSlow && found.error?.type !== 'status_code') {
    const isOwn = tookMs > timeoutMs * 1.5 + 500 || stalledMs > timeoutMs * STALLED_SHARE;
    return isOwn ? missed('overload') : found;
  }
  const isResponseTimeValid = stalledMs <= Math.max(STALL_MS, tookMs * STALLED_SHARE);
  if (isResponseTimeValid) return found;
  const unmeasured = { ...found, degraded: false, response_time_ms: null, timings: null };
  return isSlow ? { ...unmeasured, outcome: 'success', error: null } : unmeasured;
}
