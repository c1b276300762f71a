import { expect, test } from 'vitest';
import { backoffMs, spreadMs } from '../../../shared/backoff.ts';

const LIMITS = { minMs: 100, maxMs: 700 };

test('the delay doubles with each failure up to its maximum, however many there are', () => {
  expect([1, 2, 3, 4, 5000].map((failures) => backoffMs(failures, LIMITS))).toEqual([100, 200, 400, 700, 700]);
});

test('randomness spreads a backoff over its second half, and extends a delay by a share', () => {
  expect([0, 0.5, 1].map((random) => backoffMs(2, LIMITS, random))).toEqual([100, 150, 200]);
  expect([0, 0.5, 1].map((random) => spreadMs(100, 0.5, random))).toEqual([100, 125, 150]);
});
