import { expect, test } from 'vitest';
import { HourRows, rowsOf } from '../../../controller/results/hours/hour-rows.ts';
import { newLiveMonitor, replaceRows } from '../../../controller/results/state/live-monitor.ts';
import { HOUR_MS } from '../../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { configOf, HOUR } from './build.ts';

const monitorWith = () => newLiveMonitor(newMonitorState(configOf()), 0);

test('results are found by their hour, in any order of added and removed hours', () => {
  const monitor = monitorWith();
  const hours = [HOUR, HOUR - 3 * HOUR_MS, HOUR + HOUR_MS].map((hour) => new HourRows(hour, 1));
  for (const rows of hours) replaceRows(monitor, rows.hour, rows);
  for (const rows of hours) expect(rowsOf(monitor, rows.hour)).toBe(rows);
  expect(rowsOf(monitor, HOUR - HOUR_MS)).toBeUndefined();
  const rest = new HourRows(HOUR, 2);
  replaceRows(monitor, HOUR, rest);
  expect(monitor.hours).toHaveLength(3);
  expect(rowsOf(monitor, HOUR)).toBe(rest);
});

test('a monitor without results allocates nothing for hours', () => {
  const [one, other] = [monitorWith(), monitorWith()];
  replaceRows(one, HOUR, new HourRows(HOUR, 1));
  replaceRows(one, HOUR, null);
  expect(one.hours).toEqual([]);
  expect(one.hours).toBe(other.hours);
});
