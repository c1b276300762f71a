import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Output, shortened } from '../../../deploy/command/output.ts';

function printed(print: (output: Output) => void, terminal: { isTTY?: boolean; columns?: number } = {}): string {
  const stream = Object.assign(new PassThrough(), terminal);
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

test('direction marks do not reorder a row', () => {
  expect(printed((output) => output.table([{ name: 'a\u202eb\u2069c' }], COLUMNS, ''))).toContain('a b c');
});

const ROWS: Row[] = [{ name: 'a shop with a long name', seconds: 12 }, { name: '監視するショップ', seconds: 5 }];
const NARROW = { cut: ['name'], omit: ['seconds'] };
const inColumns = (columns: number) =>
  printed((output) => output.table(ROWS, COLUMNS, '', NARROW), { isTTY: true, columns }).split('\n');

test('on a terminal, cells are cut to its width, and wide characters take two cells', () => {
  expect(inColumns(32)).toEqual(['name                     seconds', 'a shop with a long name  12', '監視するショップ         5', '']);
  expect(inColumns(27)).toEqual(['name                seconds', 'a shop with a lon…  12', '監視するショップ    5', '']);
});

test('a column is left out where cutting cells is not enough', () => {
  expect(inColumns(18)).toEqual(['name', 'a shop with a lon…', '監視するショップ', '']);
  expect(inColumns(5)).toEqual(['name', 'a shop with a l…', '監視するショップ', '']);
});

test('a wide character is not cut in half', () => {
  expect([shortened('監視する', 8), shortened('監視する', 7), shortened('監視する', 6)]).toEqual(['監視する', '監視す…', '監視…']);
});

test('without a terminal, nothing is cut', () => {
  expect(printed((output) => output.table(ROWS, COLUMNS, '', NARROW), { columns: 5 })).toContain('a shop with a long name  12\n');
});
