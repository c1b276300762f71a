import { describe, expect, test } from 'vitest';
import { RATE_WINDOW_MS, RateLimiter } from '../../../controller/http/rate-limit.ts';
import { SimulatedClock } from '../../../shared/simulated-clock.ts';

describe('the rate limiter', () => {
  test('allows exactly the limit in a window that starts with the first request', async () => {
    const clock = new SimulatedClock();
    const limiter = new RateLimiter(clock, 3);
    expect([1, 2, 3, 4].map(() => limiter.take('a')).map(({ isAllowed, remaining }) => [isAllowed, remaining])).toEqual([
      [true, 2], [true, 1], [true, 0], [false, 0],
    ]);
    expect(limiter.take('b').isAllowed).toBe(true);
    await clock.advance(RATE_WINDOW_MS - 1);
    expect(limiter.take('a')).toMatchObject({ isAllowed: false, retryAfter: 1 });
    await clock.advance(1);
    expect(limiter.take('a')).toMatchObject({ isAllowed: true, remaining: 2, retryAfter: 900, resetAt: Math.ceil((clock.now() + RATE_WINDOW_MS) / 1000) });
  });

  test('takes no notice when the wall clock jumps', () => {
    let wallMs = 1_000_000_000_000;
    const clock = { ...new SimulatedClock(), now: () => wallMs, monotonic: () => 5, setTimer: () => ({ cancel() {} }), setRepeating: () => ({ cancel() {} }) };
    const limiter = new RateLimiter(clock, 1);
    limiter.take('a');
    wallMs += 10 * RATE_WINDOW_MS;
    expect(limiter.take('a').isAllowed).toBe(false);
  });

  test('counts nothing when it is only looked at', () => {
    const limiter = new RateLimiter(new SimulatedClock(), 2);
    for (let n = 0; n < 5; n += 1) expect(limiter.peek('a').remaining).toBe(2);
    limiter.take('a');
    expect(limiter.peek('a').remaining).toBe(1);
  });

  test('remembers no more callers than it may: the oldest window gives way', () => {
    const limiter = new RateLimiter(new SimulatedClock(), 1, 100);
    for (let n = 0; n < 1000; n += 1) limiter.take(`ip:${n}`);
    expect(limiter.size).toBe(100);
    expect(limiter.take('ip:999').isAllowed).toBe(false);
    expect(limiter.take('ip:0').isAllowed).toBe(true);
  });

  test('forgets windows that have ended', async () => {
    const clock = new SimulatedClock();
    const limiter = new RateLimiter(clock, 1, 1000);
    for (let n = 0; n < 500; n += 1) limiter.take(`ip:${n}`);
    await clock.advance(RATE_WINDOW_MS);
    limiter.take('other');
    expect(limiter.size).toBe(1);
  });
});
