import { describe, expect, test } from 'vitest';
import { RATE_WINDOW_MS, RateLimiter } from '../../../../controller/http/limits/rate-limit.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

describe('rate limiter', () => {
  test('allows exactly the limit in a window that starts with the first request', async () => {
    const clock = new SimulatedClock();
    const limiter = new RateLimiter(clock, 3);
    const decisions = [1, 2, 3, 4].map(() => limiter.take('a'));
    const seen = decisions.map(({ isAllowed, remaining }) => [isAllowed, remaining]);
    expect(seen).toEqual([[true, 2], [true, 1], [true, 0], [false, 0]]);
    expect(limiter.take('b').isAllowed).toBe(true);
    await clock.advance(RATE_WINDOW_MS - 1);
    expect(limiter.take('a')).toMatchObject({ isAllowed: false, retryAfter: 1 });
    await clock.advance(1);
    const resetAt = Math.ceil((clock.now() + RATE_WINDOW_MS) / 1000);
    expect(limiter.take('a')).toMatchObject({ isAllowed: true, remaining: 2, retryAfter: 900, resetAt });
  });

  test('ignores wall clock jumps', () => {
    let wallMs = 1_000_000_000_000;
    const timer = { cancel: () => undefined };
    const clock = { now: () => wallMs, monotonic: () => 5, setTimer: () => timer, setRepeating: () => timer };
    const limiter = new RateLimiter(clock, 1);
    limiter.take('a');
    wallMs += 10 * RATE_WINDOW_MS;
    expect(limiter.take('a').isAllowed).toBe(false);
  });

  test('peek does not count a request', () => {
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

  test('counts IPv6 callers by /64, by /56 with four and by /48 with sixteen times the limit', () => {
    const limiter = new RateLimiter(new SimulatedClock(), 10);
    const allowed = (count: number, caller: (at: number) => string) =>
      Array.from({ length: count }, (_none, at) => limiter.take(caller(at))).filter(({ isAllowed }) => isAllowed).length;
    const inNetwork = (at: number) => `ip:2001:db8:a:${at.toString(16)}::/64`;
    expect(allowed(20, () => inNetwork(0))).toBe(10);
    expect(allowed(200, (at) => inNetwork(at + 1))).toBe(30);
    expect(allowed(1000, (at) => inNetwork(256 * (at % 200 + 1)))).toBe(120);
    // Refused requests open no windows; allowed ones open at most one each for the /64 and the /56.
    expect(limiter.size).toBeLessThanOrEqual(2 * 160 + 1);
    expect(limiter.take(inNetwork(3)).limit).toBe(40);
    expect(limiter.take(inNetwork(60_000))).toMatchObject({ isAllowed: false, limit: 160, remaining: 0 });
    expect(allowed(20, () => 'ip:2001:db8:b:0::/64')).toBe(10);
  });

  test('reports the network of a caller with the fewest requests left', () => {
    const limiter = new RateLimiter(new SimulatedClock(), 10);
    expect(limiter.take('ip:2001:db8:a:1::/64')).toMatchObject({ limit: 10, remaining: 9 });
    for (const at of [2, 3, 4]) for (let n = 0; n < 10; n += 1) limiter.take(`ip:2001:db8:a:${at}::/64`);
    expect(limiter.peek('ip:2001:db8:a:5::/64')).toMatchObject({ limit: 40, remaining: 9 });
    limiter.refund('ip:2001:db8:a:1::/64');
    expect(limiter.take('ip:2001:db8:a:5::/64')).toMatchObject({ limit: 10, remaining: 9 });
  });

  test('drops expired windows', async () => {
    const clock = new SimulatedClock();
    const limiter = new RateLimiter(clock, 1, 1000);
    for (let n = 0; n < 500; n += 1) limiter.take(`ip:${n}`);
    await clock.advance(RATE_WINDOW_MS);
    limiter.take('other');
    expect(limiter.size).toBe(1);
  });
});
