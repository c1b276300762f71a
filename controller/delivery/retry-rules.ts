import type { DeliveryDoc, Verdict } from './delivery.ts';

/** Waits before the first to the fifth retry. */
export const RETRY_DELAYS_MS: readonly number[] = Object.freeze([10_000, 30_000, 120_000, 600_000, 3_600_000]);
export const MAX_RETRIES = RETRY_DELAYS_MS.length;
/** A wait is up to this much longer, so that what failed together does not come back together. */
const JITTER = 0.2;
/** A receiver can ask for no longer wait than the longest of ours. */
const LONGEST_ASKED_MS = 3_600_000;
/** An alert that could not be told for a day is no news: it ends as failed, so that a queue cannot grow without end. */
export const LONGEST_WAIT_MS = 86_400_000;

/** The fields of a delivery that one try changes. */
export type AttemptOutcome = Pick<
  DeliveryDoc,
  'status' | 'attempts' | 'retry_count' | 'next_attempt_at' | 'delivered_at' | 'last_retry_at' | 'error_message' | 'updated_at'
>;

/**
 * What a try does to its delivery: `delivered` when sent, `failed` or `bounced` when it is final or no retry is left, else
 * `pending` with the instant of the next try. `startedAt` and `now` are Unix ms, `random` is in [0, 1).
 */
export function afterAttempt(
  delivery: Pick<DeliveryDoc, 'attempts' | 'last_retry_at'>,
  verdict: Exclude<Verdict, { kind: 'busy' }>,
  when: { startedAt: number; now: number; random: number },
): AttemptOutcome {
  const attempts = delivery.attempts + 1;
  const common = {
    attempts,
    retry_count: Math.min(attempts - 1, MAX_RETRIES),
    last_retry_at: attempts > 1 ? when.startedAt : delivery.last_retry_at,
    updated_at: when.now,
  };
  if (verdict.kind === 'sent') return { status: 'delivered', next_attempt_at: null, delivered_at: when.now, error_message: null, ...common };
  const failure = { delivered_at: null, error_message: verdict.reason, ...common };
  if (verdict.kind === 'bounced') return { status: 'bounced', next_attempt_at: null, ...failure };
  const delayMs = verdict.kind === 'retry' ? retryDelayMs(attempts, when.random, verdict.notWithinMs) : null;
  if (delayMs === null) return { status: 'failed', next_attempt_at: null, ...failure };
  return { status: 'pending', next_attempt_at: when.now + delayMs, ...failure };
}

/** Wait after the given number of failed tries, longer where the receiver asked for it; null when no retry is left. */
export function retryDelayMs(failedTries: number, random: number, askedMs = 0): number | null {
  const delayMs = RETRY_DELAYS_MS[failedTries - 1];
  if (delayMs === undefined) return null;
  return Math.round(Math.max(delayMs, Math.min(askedMs, LONGEST_ASKED_MS)) * (1 + JITTER * random));
}

/** Ends a delivery without a try, with the reason. */
export function abandoned(delivery: Pick<DeliveryDoc, 'attempts' | 'retry_count' | 'last_retry_at'>, reason: string, now: number): AttemptOutcome {
  const { attempts, retry_count, last_retry_at } = delivery;
  return { attempts, retry_count, last_retry_at, status: 'failed', next_attempt_at: null, delivered_at: null, error_message: reason, updated_at: now };
}
