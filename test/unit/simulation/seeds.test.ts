import { expect, test } from 'vitest';
import { runSeed } from '../../simulation/run-seed.ts';

test('the same seed gives the same run', async () => {
  const [one, two] = [
    await runSeed({ seed: 5, chaosMinutes: 20, calmMinutes: 5 }),
    await runSeed({ seed: 5, chaosMinutes: 20, calmMinutes: 5 }),
  ];
  expect(one).toEqual(two);
});
