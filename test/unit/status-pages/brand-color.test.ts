import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { colorOn, readableColor } from '../../../controller/status-pages/public/style/brand-color.ts';
import { PUBLIC_STYLE } from '../../../controller/status-pages/public/style/page-style.ts';

/** Uses the formula of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const full = color.length === 4 ? color.replaceAll(/[^#]/g, '$&$&') : color;
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(full.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The values of a variable in the light and in the dark theme. */
function themesOf(name: string): string[] {
  const found = [...PUBLIC_STYLE.matchAll(new RegExp(`--${name}: (#[0-9a-f]{3,6});`, 'g'))].map(([, color = '']) => color);
  expect(found).toHaveLength(3);
  return found.slice(0, 2);
}

test('text has a contrast of at least 7 to 1 in both themes', () => {
  for (const name of ['text', 'accent', 'good', 'warning', 'bad', 'notice']) {
    for (const ground of ['ground', 'card']) {
      for (const [theme, color] of themesOf(name).entries()) {
        expect(contrast(color, themesOf(ground)[theme] as string), `${name} on ${ground}`).toBeGreaterThanOrEqual(7);
      }
    }
  }
});

test.each([
  ['#0b4f8a', '#fff'], ['#e11d74', '#fff'], ['#ffd400', '#000'], ['#ffffff', '#000'], ['#000000', '#fff'],
])('text on %s is %s', (color, expected) => {
  expect(colorOn(color)).toBe(expected);
});

test('a color that is readable in a theme stays unchanged', () => {
  expect(readableColor('#0b4f8a', 'light')).toBe('#0b4f8a');
  expect(readableColor('#ffd400', 'dark')).toBe('#ffd400');
  expect(readableColor('#ffd400', 'light')).not.toBe('#ffd400');
});

test('no brand color makes links or buttons hard to read', () => {
  const [light = '', dark = ''] = themesOf('ground');
  const [lightCard = '', darkCard = ''] = themesOf('card');
  const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(fc.property(color, (brand) => {
    expect(contrast(colorOn(brand), brand)).toBeGreaterThanOrEqual(4.5);
    for (const ground of [light, lightCard]) {
      expect(contrast(readableColor(brand, 'light'), ground)).toBeGreaterThanOrEqual(7);
    }
    for (const ground of [dark, darkCard]) {
      expect(contrast(readableColor(brand, 'dark'), ground)).toBeGreaterThanOrEqual(7);
    }
  }));
});
