import { describe, expect, test } from 'vitest';
import { csvLine } from '../../../controller/subscribers/subscriber-csv.ts';

describe('a line of the export', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['', ''],
  ])('quotes %j as RFC 4180 asks', (cell, written) => {
    expect(csvLine([cell, 'x'])).toBe(`${written},x\r\n`);
  });

  test.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x'])(
    'makes no formula of %j', (cell) => {
      const plain = `'${cell}`;
      expect(csvLine([cell])).toBe(`${/[\r\n]/.test(cell) ? `"${plain}"` : plain}\r\n`);
    },
  );

  test('keeps both where a formula has quotes', () => {
    expect(csvLine(['=HYPERLINK("http://x.example","y")'])).toBe(`"'=HYPERLINK(""http://x.example"",""y"")"\r\n`);
  });
});
