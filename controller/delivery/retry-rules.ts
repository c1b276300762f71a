import type { CountedOutcome, DeliveryDoc } from './delivery.ts';

/** Delays before the first to the fifth retry. */
const RETRY_DELAYS_MS = Object.freeze([10_000, 30_000, 120_000, 600_000, 3_600_000]);
export const MAX_RETRIES = RETRY_DELAYS_MS.length;
/** Delays are up to this much longer, so that deliveries that failed together do not return together. */
const JITTER = 0.2;
/** A receiver cannot ask for a longer delay than our longest. */
const MAX_REQUESTED_DELAY_MS = 3_600_000;
/** A delivery pending for a day fails: it is no longer news, and a queue must not grow without end. */
export const MAX_PENDING_MS = 86_400_000;

/** The fields of a delivery that an attempt changes. */
export type DeliveryUpdate = Pick<DeliveryDoc,
  | 'status' | 'attempts' | 'retry_count' | 'next_attempt_at' | 'delivered_at' | 'last_retry_at'
  | 'error_message' | 'updated_at'
>;

/**
 * The delivery after an attempt: `delivered`; `failed` or `bounced` when the verdict is final or no retry is
 * left; else `pending` until its next attempt. `startedAt` and `now` are Unix ms, `random` is in [0, 1).
 */
export function afterAttempt(
  delivery: Pick<DeliveryDoc, 'attempts' | 'last_retry_at'>,
  outcome: CountedOutcome,
  { startedAt, now, random }: { startedAt: number; now: number; random: number },
): DeliveryUpdate {
  const attempts = delivery.attempts + 1;
  const failed: DeliveryUpdate = {
    status: outcome.kind === 'bounced' ? 'bounced' : 'failed',
    attempts,
    retry_count: Math.min(attempts - 1, MAX_RETRIES),
    next_attempt_at: null,
    delivered_at: null,
    last_retry_at: attempts > 1 ? startedAt : delivery.last_retry_at,
    error_message: outcome.kind === 'sent' ? null : outcome.reason,
    updated_at: now,
  };
  if (outcome.kind === 'sent') return { ...failed, status: 'delivered', delivered_at: now };
  const delayMs = outcome.kind === 'retry' ? retryDelayMs(attempts, random, outcome.retryAfterMs) : null;
  return delayMs === null ? failed : { ...failed, status: 'pending', next_attempt_at: now + delayMs };
}

/** Delay after so many failed attempts, longer if the receiver asked for it; null when no retry is left. */
function retryDelayMs(failedAttempts: number, random: number, requestedMs = 0): number | null {
  const delayMs = RETRY_DELAYS_MS[failedAttempts - 1];
  if (delayMs === undefined) return null;
  return Math.round(Math.max(delayMs, Math.min(requestedMs, MAX_REQUESTED_DELAY_MS)) * (1 + JITTER * random));
}

/** The first wait while the way out is busy, which doubles up to the longest. */
const FIRST_DEFERRAL_MS = 2000;
const MAX_DEFERRAL_MS = 300_000;

/**
 * The delivery after the provider was too busy for it: no attempt is counted, so only its age ends it.
 * `now` is Unix ms, `random` is in [0, 1).
 */
export function afterDeferral(
  { deferrals = 0 }: Pick<DeliveryDoc, 'deferrals'>, reason: string,
  { now, random }: { now: number; random: number },
) {
  const delayMs = Math.min(FIRST_DEFERRAL_MS * 2 ** deferrals, MAX_DEFERRAL_MS) * (1 + JITTER * random);
  const next_attempt_at = now + Math.round(delayMs);
  return { deferrals: deferrals + 1, next_attempt_at, error_message: reason, updated_at: now };
}

/** Ends a delivery as failed without an attempt. */
export function abandoned(
  { attempts, retry_count, last_retry_at }: Pick<DeliveryDoc, 'attempts' | 'retry_count' | 'last_retry_at'>,
  reason: string, now: number,
): DeliveryUpdate {
  return {
    status: 'failed', attempts, retry_count, next_attempt_at: null, delivered_at: null, last_retry_at,
    error_message: reason, updated_at: now,
  };
}
