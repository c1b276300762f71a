import { expect, test } from 'vitest';
import { aDayGoesBy } from './scenarios.ts';

test('hourly and daily rollups equal an independent recount of the results', async () => {
  const { violations, hours, days, incidents } = await aDayGoesBy(3);
  expect(violations).toEqual([]);
  expect(hours).toBeGreaterThan(30);
  expect(days).toBeGreaterThan(0);
  expect(incidents).toBeGreaterThan(8);
});
