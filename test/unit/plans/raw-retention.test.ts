import { expect, test } from 'vitest';
import { loadPlans, type PlanName } from '../../../controller/plans/plans.ts';
import { RawRetention } from '../../../controller/plans/raw-retention.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const DAY_MS = 86_400_000;

test('raw retention follows the plan and keeps the last known value while the database is away', async () => {
  const clock = new SimulatedClock();
  const plans = loadPlans(null);
  let plan: PlanName | null = 'free';
  const limitsOf = () => (plan ? Promise.resolve(plans[plan]) : Promise.reject(new Error('away')));
  const retention = new RawRetention({ clock, plans, limitsOf });
  expect([retention.longestMs, retention.of('o')]).toEqual([90 * DAY_MS, 90 * DAY_MS]);
  await clock.advance(1);
  expect(retention.of('o')).toBe(7 * DAY_MS);
  plan = null;
  await clock.advance(60_000);
  retention.of('o');
  await clock.advance(1);
  expect(retention.of('o')).toBe(7 * DAY_MS);
  plan = 'pro';
  await clock.advance(1);
  retention.of('o');
  await clock.advance(1);
  expect(retention.of('o')).toBe(30 * DAY_MS);
});
