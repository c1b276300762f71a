import { expect, test } from 'vitest';
import { LineSplitter } from '../../../../deploy/quickstart/processes/line-splitter.ts';

function split(...chunks: Buffer[]): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

test('lines are complete however the chunks divide them, even within a character', () => {
  const bytes = Buffer.from('one\n\nzwölf\nlast');
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(split(bytes.subarray(0, at), bytes.subarray(at))).toEqual(['one', 'zwölf', 'last']);
  }
});

test('an overlong line is truncated, and the following lines are read', () => {
  const lines = split(Buffer.alloc(200_000, 'x'), Buffer.from('\nnext\n'));
  expect(lines.map((line) => line.length)).toEqual([65_536, 4]);
});
