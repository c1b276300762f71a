import { expect, test } from 'vitest';
import { durationText, msText } from '../../../controller/console/app/ui/duration.ts';

test('a duration has one or two units, and the smaller one is never 0', () => {
  expect([0, -5, 0.4, 59.6, 90, 3600, 7500, 86_399, 90_061].map((seconds) => durationText(seconds))).toEqual([
    '0 s', '0 s', '0 s', '1 min', '1 min 30 s', '1 h', '2 h 5 min', '23 h 59 min', '1 d 1 h',
  ]);
});

test('omits the smaller unit where it is irrelevant', () => {
  expect([durationText(693, 10), durationText(573, 10), durationText(693), durationText(5400, 1)])
    .toEqual(['11 min', '9 min 33 s', '11 min 33 s', '1 h']);
});

test('shows a response or run time in ms below ten seconds', () => {
  expect([0.42, 9.96, 231.4, 9999, 10_000, 59_949, 59_950, 3_725_000].map((ms) => msText(ms, 'en-GB')))
    .toEqual(['0.4 ms', '10 ms', '231 ms', '9,999 ms', '10 s', '59.9 s', '1 min', '1 h 2 min']);
  expect(msText(12_340, 'de-DE')).toBe('12,3 s');
});
