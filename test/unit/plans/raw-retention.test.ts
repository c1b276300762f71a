import { expect, test } from 'vitest';
import { loadPlans, type PlanName } from '../../../controller/plans/plans.ts';
import { RawRetention } from '../../../controller/plans/raw-retention.ts';
import { SimulatedClock } from '../../../shared/simulated-clock.ts';

const DAY_MS = 86_400_000;

test('an organization keeps results by its plan; until that is known, and while the database is away, as known last', async () => {
  const clock = new SimulatedClock();
  const plans = loadPlans(null);
  let plan: PlanName | null = 'free';
  const retention = new RawRetention({ clock, plans, limitsOf: () => (plan ? Promise.resolve(plans[plan]) : Promise.reject(new Error('away'))) });
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
