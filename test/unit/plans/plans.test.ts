import { describe, expect, test } from 'vitest';
import { loadPlans } from '../../../controller/plans/plans.ts';
import { shortestInterval } from '../../../controller/plans/rules.ts';

describe('the plans', () => {
  test('are the published ones where nothing overrides them', () => {
    const plans = loadPlans(null);
    expect([plans.free.monitors, plans.pro.monitors, plans.scale.monitors]).toEqual([50, 500, 100_000]);
    expect([plans.free.min_interval_seconds, plans.pro.min_interval_seconds, plans.scale.min_interval_seconds]).toEqual([300, 60, 60]);
    expect([plans.free.projects, plans.pro.projects, plans.scale.projects]).toEqual([1, 10, 1000]);
  });

  test('can be overridden limit by limit', () => {
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
  ])('%s is refused with a reason', (text, reason) => {
    expect(() => loadPlans(text)).toThrow(reason);
  });
});

test.each([[300, 30, 300], [60, 30, 60], [60, 120, 120], [300, 29, 29], [60, 1, 1]])(
  'a plan of %i s where %i s is accepted allows %i s',
  (planned, accepted, shortest) => {
    expect(shortestInterval({ min_interval_seconds: planned }, accepted)).toBe(shortest);
  },
);
