import { describe, expect, test } from 'vitest';
import { loadPlans, minIntervalSeconds } from '../../../controller/plans/plans.ts';

describe('the plans', () => {
  test('have the published limits by default', () => {
    const { free, pro, scale } = loadPlans(null);
    expect([free.monitors, pro.monitors, scale.monitors]).toEqual([50, 500, 100_000]);
    const intervals = [free.min_interval_seconds, pro.min_interval_seconds, scale.min_interval_seconds];
    expect(intervals).toEqual([300, 60, 60]);
    expect([free.projects, pro.projects, scale.projects]).toEqual([1, 10, 1000]);
  });

  test('can be overridden one limit at a time', () => {
    const plans = loadPlans('{"free":{"monitors":5},"scale":{"regions_per_monitor":3}}');
    expect(plans.free).toMatchObject({ monitors: 5, min_interval_seconds: 300 });
    expect(plans.scale.regions_per_monitor).toBe(3);
    expect(loadPlans(null).free.monitors).toBe(50);
  });

  test.each([
    ['{', 'it is not JSON'],
    ['{"gold":{}}', 'Unrecognized key: "gold"'],
    ['{"free":{"monitors":-1,"projects":"many"}}', 'free.monitors'],
    ['{"free":{"colour":1}}', 'free'],
  ])('cannot be overridden by %s', (text, reason) => {
    expect(() => loadPlans(text)).toThrow(reason);
  });
});

test.each([[300, 30, 300], [60, 30, 60], [60, 120, 120], [300, 29, 29], [60, 1, 1]])(
  'for a plan minimum of %i s and an installation minimum of %i s, the shortest interval is %i s',
  (planned, accepted, expected) => {
    expect(minIntervalSeconds({ min_interval_seconds: planned }, accepted)).toBe(expected);
  },
);
