import { expect, test } from 'vitest';
import type { PeriodStats } from '../../../controller/results/reading/periods.ts';
import { shownUptime } from '../../../controller/status-pages/page-rules.ts';

const period: PeriodStats = {
  uptime_percentage: 90, uptime_outside_maintenance: 100, avg_response_time: 5, total_checks: 10,
  failed_checks: 1, last_check_at: 1, last_success_at: 1, last_failure_at: 1,
};

test('counts maintenance only if the page says so', () => {
  expect(shownUptime({ maintenance_affects_uptime: true }, period)).toBe(90);
  expect(shownUptime({ maintenance_affects_uptime: false }, period)).toBe(100);
});

test('without monitored time there is no uptime', () => {
  const nothing = { ...period, uptime_percentage: null, uptime_outside_maintenance: null };
  for (const maintenance_affects_uptime of [true, false]) {
    expect(shownUptime({ maintenance_affects_uptime }, nothing)).toBeNull();
    expect(shownUptime({ maintenance_affects_uptime }, undefined)).toBeNull();
  }
});
