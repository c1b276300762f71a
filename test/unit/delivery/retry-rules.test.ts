import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { abandoned, afterAttempt, MAX_RETRIES, retryDelayMs } from '../../../controller/delivery/retry-rules.ts';

const when = { startedAt: 1000, now: 1500, random: 0 };
const failure = { kind: 'retry', reason: 'the receiver answered 500', status: 500, durationMs: 3 } as const;

describe('a try', () => {
  test('that is answered delivers', () => {
    expect(afterAttempt({ attempts: 0, last_retry_at: null }, { kind: 'sent', status: 200, durationMs: 5 }, when)).toEqual({
      status: 'delivered', attempts: 1, retry_count: 0, next_attempt_at: null, delivered_at: 1500, last_retry_at: null, error_message: null, updated_at: 1500,
    });
  });

  test('that fails is repeated after 10 s, 30 s, 2 min, 10 min and 1 h, then is final', () => {
    let delivery = { attempts: 0, last_retry_at: null as number | null };
    const waits: (number | null)[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const outcome = afterAttempt(delivery, failure, when);
      expect(outcome.retry_count).toBe(attempt - 1);
      expect(outcome.last_retry_at).toBe(attempt === 1 ? null : 1000);
      expect(outcome.status).toBe(attempt === 6 ? 'failed' : 'pending');
      waits.push(outcome.next_attempt_at === null ? null : outcome.next_attempt_at - when.now);
      delivery = outcome;
    }
    expect(waits).toEqual([10_000, 30_000, 120_000, 600_000, 3_600_000, null]);
  });

  test.each(['dead', 'bounced'] as const)('that is %s is final at once', (kind) => {
    const outcome = afterAttempt({ attempts: 0, last_retry_at: null }, { kind, reason: 'no', status: 410, durationMs: 1 }, when);
    expect(outcome).toMatchObject({ status: kind === 'dead' ? 'failed' : 'bounced', next_attempt_at: null, error_message: 'no', retry_count: 0 });
  });
});

test('waits are up to a fifth longer, never shorter', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_RETRIES }), fc.double({ min: 0, max: 0.999, noNaN: true }), (tries, random) => {
      const base = retryDelayMs(tries, 0) as number;
      const wait = retryDelayMs(tries, random) as number;
      expect(wait).toBeGreaterThanOrEqual(base);
      expect(wait).toBeLessThanOrEqual(base * 1.2);
    }),
  );
  expect(retryDelayMs(MAX_RETRIES + 1, 0)).toBeNull();
});

test('a receiver may ask for a longer wait than ours, but not for ever', () => {
  expect([retryDelayMs(1, 0, 45_000), retryDelayMs(1, 0, 5000), retryDelayMs(1, 0, 86_400_000)]).toEqual([45_000, 10_000, 3_600_000]);
  expect(afterAttempt({ attempts: 0, last_retry_at: null }, { ...failure, notWithinMs: 45_000 }, when)).toMatchObject({ status: 'pending', next_attempt_at: when.now + 45_000 });
  expect(retryDelayMs(MAX_RETRIES + 1, 0, 45_000)).toBeNull();
});

test('what is abandoned keeps its counts and says why', () => {
  expect(abandoned({ attempts: 3, retry_count: 2, last_retry_at: 7 }, 'the integration was deleted', 9)).toEqual({
    status: 'failed', attempts: 3, retry_count: 2, last_retry_at: 7, next_attempt_at: null, delivered_at: null, error_message: 'the integration was deleted', updated_at: 9,
  });
});
