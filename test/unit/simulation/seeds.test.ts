import { expect, test } from 'vitest';
import { runSeed } from '../../simulation/run-seed.ts';
import { seedsPass } from '../../simulation/seeds-pass.ts';

seedsPass(1, 1);

test('the same seed gives the same run', async () => {
  const [one, two] = [
    await runSeed({ seed: 5, chaosMinutes: 20, calmMinutes: 5 }),
    await runSeed({ seed: 5, chaosMinutes: 20, calmMinutes: 5 }),
  ];
  expect(one).toEqual(two);
});
