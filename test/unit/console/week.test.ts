import { expect, test } from 'vitest';
import { clockIn, openRanges, timeOfDay, type Hours } from '../../../controller/console/app/destinations/week.ts';
import { opensAt } from '../../../controller/destinations/hours.ts';

const MINUTE_MS = 60_000;
const MONDAY = Date.UTC(2026, 5, 1);

test.each([
  [[1, 2, 3, 4, 5], '08:00', '18:00'], [[6, 7], '22:30', '06:15'], [[7], '20:00', '00:00'], [[1, 3], '00:00', '23:59'],
])('the week of days %j from %s to %s shows the minutes in which alerts are sent', (days, from, to) => {
  const hours: Hours = { timezone: 'UTC', days, from, to, outside: 'hold' };
  const week = openRanges(hours);
  // Each quarter of an hour, and the minute before it.
  for (let half = 0; half < 7 * 24 * 8; half += 1) {
    const minute = Math.floor(half / 2) * 15 + (half % 2) * 14;
    const at = MONDAY + minute * MINUTE_MS;
    const isShown = week[Math.floor(minute / 1440)]?.some(([start, end]) => minute % 1440 >= start && minute % 1440 < end);
    if (isShown !== (opensAt(hours, at) === at)) expect.fail(new Date(at).toISOString());
  }
});

test('hours that are still being entered show nothing', () => {
  for (const [from, to] of [['', '18:00'], ['08:00', ''], ['08:00', '08:00']] as const) {
    expect(openRanges({ timezone: 'UTC', days: [1], from, to, outside: 'hold' }).flat()).toEqual([]);
  }
});

test('the current time is that of the zone; a zone that the browser does not know has none', () => {
  expect(clockIn('Asia/Tokyo', Date.UTC(2026, 5, 7, 15, 5))).toEqual({ day: 0, minute: 5 });
  expect(clockIn('Mars/Olympus', 0)).toBeNull();
  expect([timeOfDay(65), timeOfDay(1440)]).toEqual(['01:05', '24:00']);
});
