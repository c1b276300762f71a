import { expect, test } from 'vitest';
import { opensAt, type Hours } from '../../../controller/destinations/hours.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 24 * 60;
/** At all times of the hour. */
const STRIDE_MINUTES = fewOrAll(97, 41);
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

interface Minute { today: number; time: string }

/** Each minute of two weeks from `start`: read from a formatted clock, not computed. */
function minutesOf(timeZone: string, start: number): Minute[] {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23',
  });
  return Array.from({ length: 2 * WEEK_MINUTES }, (_, minute) => {
    const [weekday = '', time = ''] = clock.format(start + minute * MINUTE_MS).split(/,? /);
    return { today: WEEKDAYS.indexOf(weekday) + 1, time };
  });
}

function isOpenIn({ days, from, to }: Omit<Hours, 'timezone'>, { today, time }: Minute): boolean {
  const yesterday = today === 1 ? 7 : today - 1;
  if (from < to) return days.includes(today) && time >= from && time < to;
  return (days.includes(today) && time >= from) || (days.includes(yesterday) && time < to);
}

const CLOCK_CHANGES = [
  ['Europe/Berlin', '2026-03-25', 'skips 02:00 to 03:00'], ['Europe/Berlin', '2026-10-21', 'repeats 02:00 to 03:00'],
  ['America/New_York', '2026-03-04', 'skips 02:00 to 03:00'], ['America/New_York', '2026-10-28', 'repeats 01:00 to 02:00'],
  ['Australia/Lord_Howe', '2026-09-30', 'skips half an hour'], ['Australia/Lord_Howe', '2026-04-01', 'repeats half an hour'],
] as const;
const TIMETABLES = [
  { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }, { days: [7], from: '02:10', to: '02:20' },
  { days: [6, 7], from: '22:30', to: '02:15' }, { days: [7], from: '01:45', to: '02:40' },
  { days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:01' }, { days: [7], from: '01:30', to: '00:00' },
];

test.each(CLOCK_CHANGES.filter(([zone]) => fewOrAll(zone !== 'America/New_York', true)))('opens as clocks in %s show in the week from %s, which %s', (timezone, date) => {
  const start = Date.parse(`${date}T00:00:00Z`);
  const minutes = minutesOf(timezone, start);
  for (const timetable of TIMETABLES) {
    const hours: Hours = { timezone, ...timetable, outside: 'hold' };
    const isOpen = minutes.map((one) => isOpenIn(hours, one));
    for (let minute = 0; minute < WEEK_MINUTES; minute += STRIDE_MINUTES) {
      const opening = isOpen.indexOf(true, minute);
      const found = (opensAt(hours, start + minute * MINUTE_MS) - start) / MINUTE_MS;
      expect(found, `${JSON.stringify(timetable)}, minute ${minute}`).toBe(opening);
    }
  }
});

test('opens at once within its hours, to the millisecond', () => {
  const hours: Hours = { timezone: 'UTC', days: [4], from: '08:00', to: '18:00', outside: 'drop' };
  const at = (time: string) => Date.parse(`2026-11-26T${time}Z`);
  expect(opensAt(hours, at('08:00:00.001'))).toBe(at('08:00:00.001'));
  expect(opensAt(hours, at('17:59:59.999'))).toBe(at('17:59:59.999'));
  expect(opensAt(hours, at('18:00:00'))).toBe(Date.parse('2026-12-03T08:00:00Z'));
  expect(opensAt(hours, at('07:59:59.999'))).toBe(at('08:00:00'));
});
