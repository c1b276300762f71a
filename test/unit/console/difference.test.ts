import { describe, expect, test } from 'vitest';
import { difference, type Part } from '../../../controller/console/app/monitor/difference.ts';

const marked = (parts: Part[]) => parts.map(({ text, isUnique }) => (isUnique ? `[${text}]` : text)).join('');

describe('difference of two texts', () => {
  test.each([
    ['HTTP/1.1 503 Service Unavailable', 'HTTP/1.1 200 OK', 'HTTP/1.1 [503 Service] [Unavailable]', 'HTTP/1.1 [200] [OK]'],
    ['same', 'same', 'same', 'same'],
    ['', 'new', '', '[new]'],
    ['a b c d', 'a c d e', 'a [b ]c d', 'a c d[ e]'],
    ['<h1>Back soon</h1>', '<h1>Shop</h1>', '<h1>[Back soon]</h1>', '<h1>[Shop]</h1>'],
  ])('%s beside %s', (one, other, mine, theirs) => {
    expect(difference(one, other).map(marked)).toEqual([mine, theirs]);
  });

  test('keeps every character on both sides, even of texts too long to compare word by word', () => {
    const text = (seed: number) => Array.from({ length: 5000 }, (_, at) => `w${(at * seed) % 97}`).join(' ');
    for (const [one, other] of [[text(3), text(5)], ['ä ö\n\t✓ x', 'ä\nö ✓ y']] as const) {
      const [mine, theirs] = difference(one, other);
      expect(mine.map((part) => part.text).join('')).toBe(one);
      expect(theirs.map((part) => part.text).join('')).toBe(other);
    }
  });
});
