import { expect, test } from 'vitest';
import { aDayGoesBy } from './scenarios.ts';

test('over a day, each hour and the day add up to what a second reading of the results says', async () => {
  const { violations, hours, days, incidents } = await aDayGoesBy(3);
  expect(violations).toEqual([]);
  expect(hours).toBeGreaterThan(30);
  expect(days).toBeGreaterThan(0);
  expect(incidents).toBeGreaterThan(8);
});
