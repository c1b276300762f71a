import { describe, expect, test } from 'vitest';
import { isoTime, sleep, systemClock } from '../../../shared/time.ts';
import { until } from '../../helpers/until.ts';

describe('the system clock', () => {
  test('returns Unix time in ms and a time that never goes back', async () => {
    const [before, wall, after] = [Date.now(), systemClock.now(), Date.now()];
    expect(wall).toBeGreaterThanOrEqual(before);
    expect(wall).toBeLessThanOrEqual(after);
    const steady = systemClock.monotonic();
    await sleep(systemClock, 20);
    expect(systemClock.monotonic() - steady).toBeGreaterThanOrEqual(18);
  });

  test('fires a timer once, and a cancelled one never', async () => {
    const fired: string[] = [];
    systemClock.setTimer(5, () => fired.push('once'));
    systemClock.setTimer(-5, () => fired.push('late'));
    systemClock.setTimer(5, () => fired.push('cancelled')).cancel();
    await until(() => fired.length >= 2);
    await sleep(systemClock, 20);
    expect(fired.sort()).toEqual(['late', 'once']);
  });

  test('repeats until cancelled', async () => {
    let count = 0;
    const timer = systemClock.setRepeating(2, () => {
      count += 1;
    });
    await until(() => count >= 3);
    timer.cancel();
    const seen = count;
    await sleep(systemClock, 20);
    expect(count).toBe(seen);
  });

  test('fires coarse timers at whole seconds', async () => {
    const from = systemClock.monotonic();
    const whole = Math.ceil((from + 1600) / 1000) * 1000;
    // Due up to 400 ms before a whole second.
    const delayMs = whole - from - 400;
    let at: number | null = null;
    systemClock.setTimer(delayMs, () => (at = systemClock.monotonic()), true);
    expect(await until(() => at, { what: 'the timer fires' })).toBeGreaterThanOrEqual(whole - 2);
  });

  test('repeats at whole seconds until cancelled', async () => {
    const from = systemClock.monotonic();
    const at: number[] = [];
    const timer = systemClock.setRepeating(1000, () => at.push(systemClock.monotonic()));
    await until(() => at.length === 2, { what: 'the timer fires twice' });
    timer.cancel();
    const first = Math.round((from + 1000) / 1000) * 1000;
    expect(at[0]).toBeGreaterThanOrEqual(first - 2);
    expect(at[1]).toBeGreaterThanOrEqual(first + 998);
    await sleep(systemClock, 20);
    expect(at).toHaveLength(2);
  });

  test('does not immediately fire a timer due in a month', async () => {
    let hasFired = false;
    const timer = systemClock.setTimer(31 * 86_400_000, () => {
      hasFired = true;
    });
    await sleep(systemClock, 20);
    timer.cancel();
    expect(hasFired).toBe(false);
  });
});

describe('ISO time', () => {
  test('is UTC with milliseconds, and null stays null', () => {
    expect(isoTime(1_760_000_000_123)).toBe('2025-10-09T08:53:20.123Z');
    expect(isoTime(null)).toBeNull();
    expect(isoTime(undefined)).toBeNull();
  });
});
