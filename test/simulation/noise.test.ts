import { expect, test } from 'vitest';
import { runNoise } from '../bench/noise/run.ts';

/** `npm run bench -- 11` does the same with a million checks, and compares the results with other monitors. */
test('each outage is alerted once, without false alerts, while regions and controllers fail', async () => {
  const { checks, firstFailure, singleRound, ...ours } = await runNoise({
    seed: 5, monitors: 125, intervalMs: 60_000, checks: 6000, outages: 20, noise: 0.02,
  });
  expect(checks).toBeGreaterThan(5000);
  expect(ours).toEqual({ falseAlerts: 0, missed: 0, doubled: 0, unresolved: 0 });
  expect(firstFailure.falseAlerts).toBeGreaterThan(50);
  expect(singleRound.falseAlerts).toBeLessThan(firstFailure.falseAlerts / 4);
});
