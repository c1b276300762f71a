import { expect, test } from 'vitest';
import { runBusFuzz } from '../fuzz/bus/run-bus-fuzz.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';

/** `npm run fuzz -- --bus` sends 100,000. */
const MESSAGES = fewOrAll(700, 2000);
const SEED = Number(process.env['FARWATCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

test(`random messages of a hostile probe affect no one else (FARWATCH_SEED=${SEED})`, async () => {
  const { faults, letters } = await runBusFuzz(SEED, MESSAGES);
  expect(faults).toEqual([]);
  expect(letters).toBeGreaterThan(0);
});
