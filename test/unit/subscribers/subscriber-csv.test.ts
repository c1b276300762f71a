import { describe, expect, test } from 'vitest';
import { csvLine } from '../../../controller/subscribers/subscriber-csv.ts';

describe('line of the export', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['', ''],
  ])('quotes %j as in RFC 4180', (cell, written) => {
    expect(csvLine([cell, 'x'])).toBe(`${written},x\r\n`);
  });

  test.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x'])(
    'neutralizes a formula that starts with %j', (cell) => {
      const plain = `'${cell}`;
      expect(csvLine([cell])).toBe(`${/[\r\n]/.test(cell) ? `"${plain}"` : plain}\r\n`);
    },
  );

  test('both quotes and neutralizes a formula with quotes', () => {
    expect(csvLine(['=HYPERLINK("http://x.example","y")'])).toBe(`"'=HYPERLINK(""http://x.example"",""y"")"\r\n`);
  });
});
