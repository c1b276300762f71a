import { expect, test } from 'vitest';
import { missingShares } from '../fuzz/shares.ts';
import { runFuzz } from '../fuzz/run-fuzz.ts';

/** `npm run fuzz` sends 20,000 and takes any seed. */
const REQUESTS = 1500;

test('a controller takes whatever is sent to it, and answers as its own document says', async () => {
  const report = await runFuzz(20_261, REQUESTS);
  expect(report.faults).toEqual([]);
  expect(missingShares(report)).toEqual([]);
  expect(report.requests).toBe(REQUESTS);
  expect(report.reached).toBeGreaterThan(report.operations / 2);
});
