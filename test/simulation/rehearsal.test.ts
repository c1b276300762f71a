import { describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { rehearseSeed, type SentAlert } from './rehearsal.ts';

/** `npm run simulate -- --rehearsal` has as many as one likes. */
const seeds = Array.from({ length: fewOrAll(2, 20) }, (_, at) => at + 1);
/** Results that arrive this late do not count, so others were decided on without them. */
const MAX_SHIFT_MS = 180_000;

describe('a rehearsal with the settings of today', () => {
  test.each(seeds)('returns exactly the alerts that were sent, with seed %i', async (seed) => {
    const { sent, rehearsed } = await rehearseSeed(seed, 'stopped');
    expect(rehearsed).toEqual(sent);
    expect(sent.length).toBeGreaterThan(20);
  });

  test.each(seeds)('returns the same alerts if results arrived out of order, with seed %i', async (seed) => {
    const { sent, rehearsed } = await rehearseSeed(seed, 'cut off');
    const named = (all: SentAlert[]) => all.map(({ monitor_id, event }) => `${monitor_id} ${event}`);
    expect(named(rehearsed)).toEqual(named(sent));
    const shifts = sent.map(({ at }, index) => Math.abs(at - (rehearsed[index]?.at ?? 0)));
    expect(Math.max(...shifts)).toBeLessThan(MAX_SHIFT_MS);
  });
});
