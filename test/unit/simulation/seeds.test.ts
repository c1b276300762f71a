import { expect, test } from 'vitest';
import { runSeed } from '../../simulation/run-seed.ts';

test('the same seed gives the same run', async () => {
  const run = () => runSeed({ seed: 5, chaosMinutes: 4, calmMinutes: 1 });
  const [one, two] = [await run(), await run()];
  expect(one).toEqual(two);
});
