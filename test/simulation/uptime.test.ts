import { expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { aDayGoesBy } from './scenarios.ts';

test('hourly and daily rollups equal an independent recount of the results', async () => {
  const { violations, hours, days, incidents } = await aDayGoesBy(3, fewOrAll(18, 27));
  expect(violations).toEqual([]);
  expect(hours).toBeGreaterThan(30);
  expect(days).toBeGreaterThan(0);
  expect(incidents).toBeGreaterThan(8);
});
