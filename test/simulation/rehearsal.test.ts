import { describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { rehearseSeed } from './rehearsal.ts';

describe('a rehearsal with the settings of today', () => {
  const seeds = Array.from({ length: fewOrAll(3, 40) }, (_, at) => at + 1);

  test.each(seeds)('returns exactly the alerts that were sent, with seed %i', async (seed) => {
    const { sent, rehearsed } = await rehearseSeed(seed);
    expect(rehearsed).toEqual(sent);
    expect(sent.length).toBeGreaterThan(20);
  });
});
