import { describe, expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';

/** Declares a test for each of `count` seeds from `first` on. `npm run simulate -- --seed <number>` reproduces a failure. */
export function seedsPass(first: number, count: number): void {
  describe('the ingest invariants hold', () => {
    test.each(Array.from({ length: count }, (_, at) => first + at))('with seed %i', async (seed) => {
      expect((await runSeed({ seed })).violations).toEqual([]);
    });
  });
}
