import { expect, test } from 'vitest';
import { missingShares } from '../fuzz/shares.ts';
import { runFuzz } from '../fuzz/run-fuzz.ts';

/** `npm run fuzz` sends 20,000 and takes any seed. */
const REQUESTS = 600;

test('a controller survives random requests and responds according to its OpenAPI document', async () => {
  const report = await runFuzz(6, REQUESTS);
  expect(report.faults).toEqual([]);
  expect(missingShares(report)).toEqual([]);
  expect(report.requests).toBe(REQUESTS);
  expect(report.reached).toBeGreaterThan(report.operations / 3);
});
