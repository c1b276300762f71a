import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Output } from '../../../deploy/command/output.ts';

function printed(print: (output: Output) => void): string {
  const stream = new PassThrough();
  print(new Output(stream));
  return String(stream.read());
}

interface Row {
  name: string;
  seconds?: number;
}

const COLUMNS = { name: (row: Row) => row.name, seconds: (row: Row) => row.seconds };

test('a table is as wide as its cells', () => {
  const rows: Row[] = [{ name: 'shop', seconds: 5 }, { name: 'a longer name' }];
  expect(printed((output) => output.table(rows, COLUMNS, 'none'))).toBe([
    'name           seconds', 'shop           5', 'a longer name  –', '',
  ].join('\n'));
});

test('a table without rows says so', () => {
  expect(printed((output) => output.table([], COLUMNS, 'No monitors'))).toBe('No monitors\n');
});

test('names do not control the terminal', () => {
  expect(printed((output) => output.table([{ name: '\u001b[2Jx\ny' }], COLUMNS, ''))).toContain(' [2Jx y');
});
