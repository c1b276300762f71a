import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { abandoned, afterAttempt, afterDeferral, MAX_RETRIES } from '../../../controller/delivery/delivery-rules.ts';

const fresh = { attempts: 0, last_retry_at: null };
const when = { startedAt: 1000, now: 1500, random: 0 };
const failure = { kind: 'retry', reason: 'the receiver responded with status 500', status: 500, durationMs: 3 } as const;

describe('an attempt', () => {
  test('delivers when the receiver accepts it', () => {
    expect(afterAttempt(fresh, { kind: 'sent', status: 200, durationMs: 5 }, when)).toEqual({
      status: 'delivered', attempts: 1, retry_count: 0, next_attempt_at: null, delivered_at: 1500,
      last_retry_at: null, error_message: null, updated_at: 1500,
    });
  });

  test('is retried after 10 s, 30 s, 2 min, 10 min and 1 h, then no more', () => {
    let delivery: { attempts: number; last_retry_at: number | null } = fresh;
    const delays: (number | null)[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const update = afterAttempt(delivery, failure, when);
      expect(update.retry_count).toBe(attempt - 1);
      expect(update.last_retry_at).toBe(attempt === 1 ? null : 1000);
      expect(update.status).toBe(attempt === 6 ? 'failed' : 'pending');
      delays.push(update.next_attempt_at === null ? null : update.next_attempt_at - when.now);
      delivery = update;
    }
    expect(delays).toEqual([10_000, 30_000, 120_000, 600_000, 3_600_000, null]);
  });

  test.each(['dead', 'bounced'] as const)('is final if the outcome is %s', (kind) => {
    const update = afterAttempt(fresh, { kind, reason: 'no', status: 410, durationMs: 1 }, when);
    const status = kind === 'dead' ? 'failed' : 'bounced';
    expect(update).toMatchObject({ status, next_attempt_at: null, error_message: 'no', retry_count: 0 });
  });
});

/** Delay before the next attempt after this many failures; null if there is none. */
function delayMs(failed: number, { random = 0, requestedMs = 0 } = {}): number | null {
  const outcome = { ...failure, retryAfterMs: requestedMs };
  const update = afterAttempt({ attempts: failed - 1, last_retry_at: null }, outcome, { ...when, random });
  return update.next_attempt_at === null ? null : update.next_attempt_at - when.now;
}

test('jitter extends delays by up to a fifth and never shortens them', () => {
  const chance = fc.double({ min: 0, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_RETRIES }), chance, (failed, random) => {
      const base = delayMs(failed) as number;
      expect(delayMs(failed, { random })).toBeGreaterThanOrEqual(base);
      expect(delayMs(failed, { random })).toBeLessThanOrEqual(base * 1.2);
    }),
  );
  expect(delayMs(MAX_RETRIES + 1)).toBeNull();
});

test('a receiver can ask for a longer delay of up to an hour, but not for more retries', () => {
  const delays = [45_000, 5000, 86_400_000].map((requestedMs) => delayMs(1, { requestedMs }));
  expect(delays).toEqual([45_000, 10_000, 3_600_000]);
  expect(delayMs(1, { requestedMs: 86_400_000, random: 0.9 })).toBe(3_600_000);
  expect(delayMs(MAX_RETRIES + 1, { requestedMs: 45_000 })).toBeNull();
});

test('an abandoned delivery keeps its counts and shows the reason', () => {
  expect(abandoned({ attempts: 3, retry_count: 2, last_retry_at: 7 }, 'gone', 9)).toEqual({
    status: 'failed', attempts: 3, retry_count: 2, last_retry_at: 7, next_attempt_at: null,
    delivered_at: null, error_message: 'gone', updated_at: 9,
  });
});

test('a busy provider defers a delivery for two seconds at first and for at most five minutes', () => {
  let delivery: { deferrals?: number } = {};
  const delays: number[] = [];
  for (let time = 0; time < 10; time += 1) {
    const { deferrals, next_attempt_at } = afterDeferral(delivery, 'busy', when);
    delays.push(next_attempt_at - when.now);
    delivery = { deferrals };
  }
  expect(delays).toEqual([
    2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000,
  ]);
  expect(afterDeferral({}, 'busy', { ...when, random: 0.999 }).next_attempt_at - when.now).toBeLessThan(2401);
});
