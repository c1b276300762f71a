import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { aDayOffline, CUT_OFF, INTERVAL_MS, type DayOffline } from './day-offline.ts';

const SLOTS = (CUT_OFF.until - CUT_OFF.from) / INTERVAL_MS;

let day: DayOffline;

/** Downtime of the target in an hour, ms. */
const downMs = (hour: number): number => day.outages.reduce((sum, { from, until }) =>
  sum + Math.max(0, Math.min(until, hour + HOUR_MS) - Math.max(from, hour)), 0);

describe('the only region of a monitor is offline for hours with three target failures', () => {
  beforeAll(async () => {
    day = await aDayOffline(['eu']);
  });

  test('every check meanwhile is stored once, with its start and arrival times', () => {
    expect(day.violations).toEqual([]);
    const slots = new Set(day.rows.map(({ scheduled_at: at }) => at));
    expect(slots.size).toBe(SLOTS);
    for (const { started_at: at, late, received } of day.rows) {
      if (at > CUT_OFF.until - 2 * INTERVAL_MS) continue;
      expect(late).toBe(true);
      expect(received?.at).toBeGreaterThanOrEqual(CUT_OFF.until);
      expect(received?.epoch).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('uptime counts one interval per check', () => {
    for (const [hour, times] of day.hours) {
      const checks = day.rows.filter(({ started_at: at }) => at >= hour && at < hour + HOUR_MS);
      const failed = checks.filter(({ outcome }) => outcome === 'failure').length;
      expect(times).toEqual([(checks.length - failed) * INTERVAL_MS, 0, failed * INTERVAL_MS]);
      expect(Math.abs(times[2] - downMs(hour))).toBeLessThanOrEqual(INTERVAL_MS);
    }
  });

  test('each outage becomes a resolved incident without an alert', () => {
    expect(day.incidentList.map(({ opening }) => opening.late)).toEqual([true, true, true]);
    expect(day.incidentList.every(({ resolution }) => resolution !== null)).toBe(true);
    expect(day.pages).toEqual([]);
  });

  test('the monitor becomes unknown and up again, with one alert each', () => {
    expect(day.statuses.map(({ to }) => to)).toEqual(['unknown', 'up']);
    expect(day.notices).toEqual(['monitor.no_data', 'monitor.no_data_resolved']);
  });
});

describe('one region of three is offline for hours with three target failures', () => {
  beforeAll(async () => {
    day = await aDayOffline(['eu', 'us', 'ap']);
  });

  test('every check meanwhile is stored once', () => {
    expect(day.violations).toEqual([]);
    expect(new Set(day.rows.map(({ scheduled_at: at }) => at)).size).toBe(SLOTS);
  });

  test('the other two regions decide: one incident and two alerts per outage, and no more afterwards', () => {
    expect(day.incidentList.map(({ opening }) => opening.late)).toEqual([undefined, undefined, undefined]);
    expect(day.pages.toSorted()).toEqual(
      [...Array.from({ length: 3 }, () => 'monitor.down'), ...Array.from({ length: 3 }, () => 'monitor.up')],
    );
    const statuses = day.statuses.map(({ to }) => to);
    expect(statuses).toEqual(['down', 'up', 'down', 'up', 'down', 'up']);
    expect(day.notices).toEqual([]);
  });

  test('late results add no time to a monitored hour', () => {
    for (const [hour, times] of day.hours) {
      expect(times[0] + times[1] + times[2]).toBe(HOUR_MS);
      expect(Math.abs(times[2] - downMs(hour))).toBeLessThanOrEqual(INTERVAL_MS);
    }
  });
});
