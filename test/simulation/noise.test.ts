import { expect, test } from 'vitest';
import { runNoise } from '../bench/noise/run.ts';

/** `npm run bench -- 11` does the same with a million checks, and compares the results with other monitors. */
test('each outage is alerted once, without false alerts, while regions and controllers fail', async () => {
  const { checks, firstFailure, singleRound, ...ours } = await runNoise({
    seed: 5, monitors: 250, intervalMs: 60_000, checks: 12_000, outages: 40, noise: 0.02,
  });
  expect(checks).toBeGreaterThan(10_000);
  expect(ours).toEqual({ falseAlerts: 0, missed: 0, doubled: 0, unresolved: 0 });
  expect(firstFailure.falseAlerts).toBeGreaterThan(100);
  expect(singleRound.falseAlerts).toBeLessThan(firstFailure.falseAlerts / 4);
});
