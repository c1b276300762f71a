import { expect, test } from 'vitest';
import { durationParts } from '../../../controller/console/app/ui/duration.ts';

const said = (seconds: number, most?: number) =>
  durationParts(seconds, most).map(({ unit, value }) => `${value} ${unit}`).join(' ');

test('a duration has one unit or two, of which the lesser is never 0', () => {
  expect([0, -5, 0.4, 59.6, 90, 3600, 7500, 86_399, 90_061].map((seconds) => said(seconds))).toEqual([
    '0 second', '0 second', '0 second', '1 minute', '1 minute 30 second', '1 hour', '2 hour 5 minute',
    '23 hour 59 minute', '1 day 1 hour',
  ]);
});

test('the lesser unit is left out where it does not matter', () => {
  expect([said(693, 10), said(573, 10), said(693), said(5400, 1)])
    .toEqual(['11 minute', '9 minute 33 second', '11 minute 33 second', '1 hour']);
});
