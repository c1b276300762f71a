import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as Recurrence from '../../../controller/maintenance/recurrence.ts';
import { StepCounter } from '../../helpers/step-counter.ts';

const HOUR_MS = 3_600_000;
/** About ten steps per day of a century. */
const MAX_STEPS = 500_000;
/** Lower, because requests validate their rule outside the queue. */
const MAX_STEPS_TO_CHECK = 200_000;
/** About ten steps per day of two years. */
const MAX_STEPS_TO_LIST = 20_000;

const since2000 = (recurrence: string): Recurrence.Schedule => {
  const starts_at = Date.UTC(2000, 0, 1, 1, 30);
  return { starts_at, ends_at: starts_at + HOUR_MS, recurrence, timezone: 'Europe/Berlin' };
};

let counter: StepCounter<typeof Recurrence>;
beforeAll(async () => {
  counter = await StepCounter.load<typeof Recurrence>(
    'controller/maintenance/recurrence.ts', { packages: 'bundle' },
  );
});
afterAll(() => counter.stop());

const RULES = [
  'FREQ=DAILY',
  'FREQ=DAILY;COUNT=99;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=DAILY;BYMONTHDAY=31;BYDAY=MO;INTERVAL=7',
  'FREQ=DAILY;INTERVAL=999;BYMONTH=1;BYMONTHDAY=30',
  'FREQ=WEEKLY;INTERVAL=53;BYMONTH=2;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-1',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=31;BYMONTH=2',
  'FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR;COUNT=99',
  'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1,-1,99;COUNT=99',
  'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366',
  `FREQ=YEARLY;BYMONTHDAY=${Array.from({ length: 31 }, (_, at) => -at - 1).join()};BYSETPOS=366`,
  `FREQ=DAILY;BYMONTHDAY=${Array.from({ length: 31 }, (_, at) => at + 1).join()};BYSETPOS=31;INTERVAL=7`,
  'FREQ=YEARLY;BYDAY=53MO,53TU,53WE,53TH,53FR,53SA,53SU;BYSETPOS=31',
];

test.each(RULES)('computing %s since 2000 takes steps for at most the days of a century', async (recurrence) => {
  const { recurrenceProblem, occurrencesFrom } = counter.exports;
  expect(await counter.count(() => void recurrenceProblem(recurrence))).toBeLessThan(MAX_STEPS_TO_CHECK);
  for (const from of [Date.UTC(2026, 10, 20), Date.UTC(2098, 10, 1)]) {
    expect(await counter.count(() => void occurrencesFrom(since2000(recurrence), from).next())).toBeLessThan(MAX_STEPS);
  }
});

test.each(RULES.filter((rule) => !rule.includes('COUNT')))(
  'listing %s since 2000 takes steps only for the days of the requested years', async (recurrence) => {
    const { occurrencesFrom } = counter.exports;
    const list = () => [...occurrencesFrom(since2000(recurrence), Date.UTC(2026, 10, 20), Date.UTC(2026, 11, 29))];
    expect(await counter.count(() => void list())).toBeLessThan(MAX_STEPS_TO_LIST);
  },
);
