import { describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';
import { runSeed } from './run-seed.ts';

/** Rules whose removal random runs detect soon. The others have their own scenarios. */
const FOUND_BY_SEEDS: [sentence: string, breaks: RegExp][] = [
  ['only one of two controllers inserts entry n', /^(I1|I5|I7|status|.*executed but never decided)/],
  ['reading an entry follows the same lane rule as taking a batch', /^I1\/I2 .* is stored 2 times, not 1/],
  ['the probe gets its reply only after the journal has the batch', /^I1: result .* is 0 times in the journal/],
  ['an acknowledged batch stays in the journal', /^(I1|I7|journal)/],
  ['effect ids derive from (monitor, n, index, kind)', /^I5: .* was alerted as (down|up) [2-9] times/],
  ['the owner journals a change, then clears its mark', /^monitor .* is at revision/],
];
const SEEDS = 15;

function mutationOf(part: string): Mutation {
  const found = MUTATIONS.find(({ sentence }) => sentence.includes(part));
  if (!found) throw new Error(`no mutation contains "${part}"`);
  return found;
}

async function firstBreak(
  { sentence: _sentence, patch, ...changed }: Mutation, breaks: RegExp,
): Promise<string | null> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const restore = patch?.() ?? (() => undefined);
    try {
      const { violations } = await runSeed({ seed, ...changed, beforeChecks: restore });
      const found = violations.find((violation) => breaks.test(violation));
      if (found) return found;
    } finally {
      restore();
    }
  }
  return null;
}

describe('seeds fail without this rule of the protocol:', () => {
  test.each(fewOrAll(FOUND_BY_SEEDS.slice(-1), FOUND_BY_SEEDS))('%s', async (part, breaks) => {
    expect(await firstBreak(mutationOf(part), breaks)).not.toBeNull();
  });
});
