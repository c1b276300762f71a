import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { HourTimes } from '../../../controller/verdicts/monitor-state.ts';
import { emptyRollup } from '../../../controller/results/hours/rollup.ts';
import { UptimeWindows } from '../../../controller/results/reading/metrics/uptime-windows.ts';
import { newLiveMonitor } from '../../../controller/results/state/live-monitor.ts';
import { configOf } from './build.ts';

const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;
/** Midnight. */
const FIRST_HOUR = 500_000 - (500_000 % HOURS_PER_DAY);
const SLOT = 3;

/** Seconds up and down in an hour. */
type Hour = [up: number, down: number];

const totalsOf = (hours: Hour[]) => {
  const sum = (at: 0 | 1) => hours.reduce((total, hour) => total + hour[at], 0) * 1000;
  return { ...emptyRollup(), times: [sum(0), 0, sum(1)] as HourTimes };
};
const shareOf = (hours: Hour[]) => {
  const { times: [up, , down] } = totalsOf(hours);
  return up + down === 0 ? -1 : Math.floor((up / (up + down)) * 1e6) / 1e6;
};

test('uptimes follow a monitor for days, however seldom its rollups are read', () => {
  // Even seconds, because a day's rollup is held in units of two.
  const seconds = fc.nat({ max: 900 }).map((half) => 2 * half);
  const hour = fc.record({ times: fc.tuple(seconds, seconds), isRead: fc.boolean() });
  fc.assert(fc.property(fc.array(hour, { minLength: 1, maxLength: 40 * HOURS_PER_DAY }), fc.nat(60), (hours, first) => {
    const windows = new UptimeWindows();
    const timesOf = (number: number) => hours[number - FIRST_HOUR]?.times ?? ([0, 0] as Hour);
    const between = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => timesOf(from + at));
    for (let at = Math.min(first, hours.length - 1); at < hours.length; at += 1) {
      const current = FIRST_HOUR + at;
      const now = current * HOUR_MS + 1800_000;
      // All hours before the current one are written, and all days before it are rolled up.
      if (hours[at]?.isRead === true || !windows.isKnown(SLOT)) {
        const missing = windows.missing(SLOT, 'm', now);
        windows.store(SLOT, at, now, missing, {
          hours: (start) => (start / HOUR_MS < current ? totalsOf([timesOf(start / HOUR_MS)]) : undefined),
          days: (start) => totalsOf(between(start / HOUR_MS, start / HOUR_MS + HOURS_PER_DAY)),
        });
        const state = { ...newMonitorState(configOf()), accounted_until: now, accounted: {
          [current * HOUR_MS]: totalsOf([timesOf(current)]).times,
        } };
        const day = current - (current % HOURS_PER_DAY);
        expect(windows.of(SLOT, newLiveMonitor(state, 0), now)).toEqual([
          shareOf(between(current - 23, current + 1)), shareOf(between(day - 29 * HOURS_PER_DAY, current + 1)),
        ]);
      }
    }
  }), { numRuns: 50 });
});

test('a day without a rollup is summed from its hours', () => {
  const windows = new UptimeWindows();
  const midnight = FIRST_HOUR + HOURS_PER_DAY;
  const now = midnight * HOUR_MS + 60_000;
  windows.store(SLOT, 1, now, windows.missing(SLOT, 'm', now), {
    hours: (start) => (start / HOUR_MS < midnight - 1 ? totalsOf([[3600, 0]]) : undefined), days: () => undefined,
  });
  const state = { ...newMonitorState(configOf()), accounted_until: now, accounted: {
    [(midnight - 1) * HOUR_MS]: [0, 0, HOUR_MS] as HourTimes,
  } };
  const [day, month] = windows.of(SLOT, newLiveMonitor(state, 0), now);
  expect(day).toBeCloseTo(22 / 23, 5);
  expect(month).toBeCloseTo(23 / 24, 5);
});

test('uptimes are unknown before rollups are read, and again once the slot is cleared', () => {
  const windows = new UptimeWindows();
  const monitor = newLiveMonitor(newMonitorState(configOf()), 0);
  const now = FIRST_HOUR * HOUR_MS;
  expect([windows.isKnown(SLOT), windows.of(SLOT, monitor, now)]).toEqual([false, [-1, -1]]);
  const nothing = { hours: () => undefined, days: () => undefined };
  windows.store(SLOT, 0, now, windows.missing(SLOT, 'm', now), nothing);
  expect([windows.isCurrent(SLOT, 0), windows.isCurrent(SLOT, 1), windows.isKnown(SLOT)]).toEqual([true, false, true]);
  windows.clear(SLOT);
  expect(windows.isKnown(SLOT)).toBe(false);
});
