import { expect, test } from 'vitest';
import { invariantsTable, outcomeTable } from '../../faults-tables.mjs';
import { toOutcome, type Tally } from '../../faults/tally.ts';

const TALLY: Tally = {
  injected: 2, incidents: { expected: 3, opened: 3 }, alerts: { expected: 6, delivered: 6, repeated: 1 },
  results: {
    issued: 50, stored: 50, lost: 0, duplicated: 0, slots: { due: 52, unexplained: 0 },
    uptimes: { compared: 4, wrong: 1 }, left: 0, deaths: 0,
  },
};
const REPORTS = [
  { id: 'F1', status: 'ok', done: 'kill', ...toOutcome(TALLY, 'more') },
  { id: 'F12', status: 'FAIL', done: 'cut off', ...toOutcome({ injected: 1, incidents: { expected: 1, opened: 2 } }) },
];

test('each fault has a line with its counts per invariant, and there is a total', () => {
  expect(invariantsTable(REPORTS).map((line) => line.split(/ {2,}/))).toEqual([
    [
      'fault', 'I1 lost', 'I2 doubled', 'I3 unexplained', 'I4 incidents', 'I5 alerts', 'I6 wrong uptimes', 'I7 left',
      'I8 died',
    ],
    ['F1', 'ok', '0 of 50', '0 of 50', '0 of 52', '3 of 3', '6 of 6 +1', '1 of 4', '0', '0'],
    ['F12', 'FAIL', '–', '–', '–', '2 of 1', '–', '–', '–', '–'],
    ['all', '0 of 50', '0 of 50', '0 of 52', '5 of 4', '6 of 6 +1', '1 of 4', '0', '0'],
    [expect.stringContaining('–: not counted')],
  ]);
});

test('each fault has a line that describes its outcome', () => {
  expect(outcomeTable(REPORTS)[1]).toBe(
    'F1     ok    kill           2 injected; results 50 issued, 50 stored, 0 lost, 0 duplicated; ' +
    'incidents 3 of 3; alerts 6 of 6, 1 repeated; more',
  );
});
