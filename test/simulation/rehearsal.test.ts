import { describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { differences, rehearseSeed } from './rehearsal.ts';

/** `npm run simulate -- --rehearsal` has as many as one likes. */
const seeds = Array.from({ length: fewOrAll(1, 20) }, (_, at) => at + 1);

describe('a rehearsal with the settings of today', () => {
  test.each(seeds)('returns exactly the alerts of the monitors, and the messages to receivers within seconds, with seed %i', async (seed) => {
    const world = await rehearseSeed(seed, 'stopped');
    expect(differences(world)).toEqual([]);
    expect(world.sent.length).toBeGreaterThan(20);
    expect(world.messages?.sent.length).toBeGreaterThan(100);
  });

  test.each(seeds)('returns the same alerts if results arrived out of order, with seed %i', async (seed) => {
    expect(differences(await rehearseSeed(seed, 'cut off'))).toEqual([]);
  });
});
