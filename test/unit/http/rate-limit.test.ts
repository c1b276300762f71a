import { describe, expect, test } from 'vitest';
import { RATE_WINDOW_MS, RateLimiter } from '../../../controller/http/rate-limit.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

describe('the rate limiter', () => {
  test('allows exactly the limit in a window that starts with the first request', async () => {
    const clock = new SimulatedClock();
    const limiter = new RateLimiter(clock, 3);
    const verdicts = [1, 2, 3, 4].map(() => limiter.take('a'));
    const seen = verdicts.map(({ isAllowed, remaining }) => [isAllowed, remaining]);
    expect(seen).toEqual([[true, 2], [true, 1], [true, 0], [false, 0]]);
    expect(limiter.take('b').isAllowed).toBe(true);
    await clock.advance(RATE_WINDOW_MS - 1);
    expect(limiter.take('a')).toMatchObject({ isAllowed: false, retryAfter: 1 });
    await clock.advance(1);
    const resetAt = Math.ceil((clock.now() + RATE_WINDOW_MS) / 1000);
    expect(limiter.take('a')).toMatchObject({ isAllowed: true, remaining: 2, retryAfter: 900, resetAt });
  });

  test('ignores jumps of the wall clock', () => {
    let wallMs = 1_000_000_000_000;
    const timer = { cancel: () => undefined };
    const clock = { now: () => wallMs, monotonic: () => 5, setTimer: () => timer, setRepeating: () => timer };
    const limiter = new RateLimiter(clock, 1);
    limiter.take('a');
    wallMs += 10 * RATE_WINDOW_MS;
    expect(limiter.take('a').isAllowed).toBe(false);
  });

  test('does not count a peek', () => {
    const limiter = new RateLimiter(new SimulatedClock(), 2);
    for (let n = 0; n < 5; n += 1) expect(limiter.peek('a').remaining).toBe(2);
    limiter.take('a');
    expect(limiter.peek('a').remaining).toBe(1);
  });

  test('drops the oldest window when it is full', () => {
    const limiter = new RateLimiter(new SimulatedClock(), 1, 100);
    for (let n = 0; n < 1000; n += 1) limiter.take(`ip:${n}`);
    expect(limiter.size).toBe(100);
    expect(limiter.take('ip:999').isAllowed).toBe(false);
    expect(limiter.take('ip:0').isAllowed).toBe(true);
  });

  test('drops windows that have ended', async () => {
    const clock = new SimulatedClock();
    const limiter = new RateLimiter(clock, 1, 1000);
    for (let n = 0; n < 500; n += 1) limiter.take(`ip:${n}`);
    await clock.advance(RATE_WINDOW_MS);
    limiter.take('other');
    expect(limiter.size).toBe(1);
  });
});
