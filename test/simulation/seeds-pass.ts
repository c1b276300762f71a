import { describe, expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';

/** Seeds in one test; a failing one is told by its number. */
const AT_ONCE = 11;

/** Declares tests that run `count` seeds from `first` on. What fails is repeated by `npm run simulate -- --seed <its number>`. */
export function seedsPass(first: number, count: number): void {
  describe(`the ingest holds its promises, seeds ${first} to ${first + count - 1}`, () => {
    const starts = Array.from({ length: Math.ceil(count / AT_ONCE) }, (_, at) => first + at * AT_ONCE);
    test.each(starts)('from %i', async (start) => {
      for (let seed = start; seed < Math.min(start + AT_ONCE, first + count); seed += 1) {
        const { violations } = await runSeed({ seed });
        expect({ seed, violations }).toEqual({ seed, violations: [] });
      }
    }, 120_000);
  });
}
