import { expect, test } from 'vitest';
import { ONCE_AN_HOUR, TokenBuckets } from '../../../shared/token-buckets.ts';

const HOUR_MS = 3_600_000;

test('a sender that uses its whole burst gets it again after a pause, and affects no other sender', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 10 });
  expect([buckets.take('a', 10, 0), buckets.take('a', 1, 0), buckets.take('b', 10, 0)])
    .toEqual([true, false, true]);
  expect([buckets.left('a', 3000), buckets.left('a', HOUR_MS), buckets.left('c', 0)]).toEqual([6, 10, 10]);
});

test('a charge may exceed the balance, and the debt is paid off before anything can be taken again', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 10 });
  buckets.charge('a', 25, 0);
  expect(buckets.left('a', 0)).toBe(-15);
  expect([buckets.take('a', 1, 15_000), buckets.take('a', 1, 16_000)]).toEqual([false, true]);
});

test('rejected attempts do not delay what is allowed once an hour', () => {
  const lines = new TokenBuckets(ONCE_AN_HOUR);
  // A million additions would each be rounded.
  const taken = Array.from({ length: 2 * 360_001 }, (_, at) => at * 10).filter((at) => lines.take('a', 1, at));
  expect(taken).toEqual([0, HOUR_MS, 2 * HOUR_MS]);
});

test('among more than a thousand senders, active ones are remembered', () => {
  const buckets = new TokenBuckets(ONCE_AN_HOUR);
  for (let at = 0; at < 1000; at += 1) buckets.take(`early ${at}`, 1, 0);
  for (let at = 0; at < 1000; at += 1) buckets.take(`late ${at}`, 1, HOUR_MS);
  expect([buckets.take('late 0', 1, HOUR_MS + 1), buckets.take('early 0', 1, HOUR_MS + 1)]).toEqual([false, true]);
});
