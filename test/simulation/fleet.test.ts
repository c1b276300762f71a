import { expect, test } from 'vitest';
import { movesIn } from '../bench/fleet/moves.ts';
import { virtualFleet } from '../bench/loads/virtual-fleet.ts';
import { Random } from './random.ts';

const ids = (random: Random, count: number): string[] => Array.from({ length: count }, () => random.uuid());

/** `npm run bench -- fleet` does the same with a thousand probes and up to a million monitors. */
test('a fleet checks each monitor once per interval in each region, with a few writes per second', async () => {
  const monitors = 500;
  const { results, messages, writes } = await virtualFleet({
    monitors, regions: 4, probesPerRegion: 2, settleMs: 10_000, forMs: 60_000,
  });
  // Results of the last second may still be in transit.
  expect(Math.abs(results - 3 * monitors)).toBeLessThan(3 * monitors / 30);
  expect(messages).toBeLessThanOrEqual(results);
  expect(writes / 60).toBeLessThan(10);
});

test('replacing one of twenty probes moves hardly more monitors than necessary', () => {
  const random = new Random(3);
  const { perDue, imbalance } = movesIn(ids(random, 20_000), ids(random, 20).sort(), random.uuid());
  expect(perDue).toBeLessThan(1.15);
  expect(imbalance).toBeLessThan(1.2);
});
