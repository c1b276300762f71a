import { expect, test } from 'vitest';
import { loadPlans, type PlanName } from '../../../controller/plans/plans.ts';
import { CachedLimits } from '../../../controller/plans/quota.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const DAY_MS = 86_400_000;

test('cached limits follow the plan and keep the last known value during a database outage', async () => {
  const clock = new SimulatedClock();
  const plans = loadPlans(null);
  let plan: PlanName | null = 'free';
  const limitsOf = () => (plan ? Promise.resolve(plans[plan]) : Promise.reject(new Error('away')));
  const limits = new CachedLimits({ clock, plans, limitsOf });
  expect([limits.maxRawRetentionMs, limits.rawRetentionMs('o')]).toEqual([90 * DAY_MS, 90 * DAY_MS]);
  await clock.advance(1);
  expect(limits.rawRetentionMs('o')).toBe(7 * DAY_MS);
  plan = null;
  await clock.advance(60_000);
  limits.rawRetentionMs('o');
  await clock.advance(1);
  expect(limits.rawRetentionMs('o')).toBe(7 * DAY_MS);
  plan = 'pro';
  await clock.advance(1);
  limits.rawRetentionMs('o');
  await clock.advance(1);
  expect(limits.rawRetentionMs('o')).toBe(30 * DAY_MS);
});

test('preloaded limits are available immediately, and an organization that cannot be read blocks no other', async () => {
  const plans = loadPlans(null);
  const limits = new CachedLimits({
    clock: new SimulatedClock(), plans,
    limitsOf: async (id) => (id === 'gone' ? Promise.reject(new Error('unknown')) : plans.free),
  });
  await limits.preload(['gone', 'o', 'o']);
  expect(['gone', 'o'].map((id) => limits.regionsPerMonitor(id))).toEqual([null, 1]);
});
