import { expect, test } from 'vitest';
import { fittingSizes, heightOf } from '../../../controller/console/app/overview/wall-fit.ts';

const TELEVISION = { width: 1870, height: 640 };

test.each([
  [[30], false], [[300], false], [[75, 75, 75, 75], true], [Array.from({ length: 60 }, () => 5), true], [[3000], false],
  [[2000, 900, 60, 40], true], [[5000], true],
] as [number[], boolean][])('panels with %j tiles (headings: %s) fit on a screen and leave little of it empty', (counts, hasHeadings) => {
  const sizes = fittingSizes(counts, hasHeadings, TELEVISION);
  const height = heightOf(counts, sizes, TELEVISION.width);
  expect(height).toBeLessThanOrEqual(TELEVISION.height);
  expect(height).toBeGreaterThan(TELEVISION.height * 0.6);
});

test('a few hundred tiles have names, thousands are squares', () => {
  expect(fittingSizes([75, 75, 75, 75], true, TELEVISION).isSquare).toBe(false);
  expect(fittingSizes([3000], false, TELEVISION).isSquare).toBe(true);
});

test('small groups are side by side', () => {
  const sizes = { width: 100, height: 40, gap: 5, between: 20, heading: 30, isSquare: false };
  expect(heightOf([2, 2], sizes, 430)).toBe(70);
  expect(heightOf([2, 2], sizes, 429)).toBe(160);
  expect(heightOf([2, 2, 9], sizes, 430)).toBe(70 + 20 + 30 + 3 * 45 - 5);
});

test('if nothing fits, tiles have the smallest size, and a readable one if the window scrolls', () => {
  expect(fittingSizes([900_000], false, TELEVISION).width).toBe(4);
  expect(fittingSizes([900], false, { width: 360, height: null }).isSquare).toBe(false);
});
