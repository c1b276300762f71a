import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { occurrencesFrom, recurrenceProblem, type Schedule } from '../../../controller/maintenance/recurrence.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function schedule(startsAt: string, recurrence: string | null, timezone: string, hours = 2): Schedule {
  const starts_at = Date.parse(startsAt);
  return { starts_at, ends_at: starts_at + hours * HOUR_MS, recurrence, timezone };
}

/** Starts of the occurrences between two instants. */
function starts(input: Schedule, from: string, until: string): string[] {
  return [...occurrencesFrom(input, Date.parse(from), Date.parse(until))]
    .map(({ starts_at: at }) => new Date(at).toISOString());
}

const clockIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' }).format(at);

describe('a recurring window keeps its local time', () => {
  test('when Berlin leaves daylight saving time', () => {
    const daily = schedule('2026-10-20T20:00:00Z', 'FREQ=DAILY', 'Europe/Berlin');
    expect(starts(daily, '2026-10-24T12:00Z', '2026-10-26T23:00Z')).toEqual([
      '2026-10-24T20:00:00.000Z', '2026-10-25T21:00:00.000Z', '2026-10-26T21:00:00.000Z',
    ]);
  });

  test('when Berlin enters daylight saving time', () => {
    const daily = schedule('2027-03-20T21:00:00Z', 'FREQ=DAILY', 'Europe/Berlin');
    expect(starts(daily, '2027-03-27T12:00Z', '2027-03-28T23:00Z')).toEqual([
      '2027-03-27T21:00:00.000Z', '2027-03-28T20:00:00.000Z',
    ]);
  });

  test('when New York leaves and enters daylight saving time', () => {
    const weekly = schedule('2026-10-25T06:00:00Z', 'FREQ=WEEKLY;BYDAY=SU', 'America/New_York');
    // On 1 November, 02:00 comes after the repeated hour.
    expect(starts(weekly, '2026-10-25T00:00Z', '2026-11-09T00:00Z')).toEqual([
      '2026-10-25T06:00:00.000Z', '2026-11-01T07:00:00.000Z', '2026-11-08T07:00:00.000Z',
    ]);
    // On 14 March, 02:00 does not exist.
    expect(starts(weekly, '2027-03-07T00:00Z', '2027-03-22T00:00Z')).toEqual([
      '2027-03-07T07:00:00.000Z', '2027-03-21T06:00:00.000Z',
    ]);
  });

  test('in any zone on any day, and its duration', () => {
    const zone = fc.constantFrom(
      'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC',
    );
    const start = fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2028, 0, 1) / 60_000 });
    fc.assert(fc.property(zone, start, fc.integer({ min: 0, max: 400 }), (timezone, minute, days) => {
      const first = minute * 60_000;
      const daily: Schedule =
        { starts_at: first, ends_at: first + HOUR_MS, recurrence: 'FREQ=DAILY', timezone };
      const from = first + days * DAY_MS;
      const found = [...occurrencesFrom(daily, from, from + 9 * DAY_MS)];
      expect(found.length).toBeGreaterThanOrEqual(8);
      for (const { starts_at, ends_at } of found) {
        expect(clockIn(timezone, starts_at)).toBe(clockIn(timezone, first));
        expect(ends_at - starts_at).toBe(HOUR_MS);
        expect(ends_at).toBeGreaterThan(from);
      }
    }), { numRuns: 100 });
  });
});

describe('the occurrences of a window', () => {
  test('include the one in progress, but none that starts at or after the end of the range', () => {
    const yearly = schedule('2024-12-24T08:00:00Z', 'FREQ=YEARLY', 'Europe/Berlin');
    expect(starts(yearly, '2025-12-24T09:00Z', '2026-01-02T00:00Z')).toEqual(['2025-12-24T08:00:00.000Z']);
    expect(starts(yearly, '2025-12-24T10:00Z', '2026-12-24T08:00Z')).toEqual([]);
  });

  test('take a whole week into account even if the range ends within it at the end of a year', () => {
    // The third last day of the week that starts on 28 December is in the next year.
    const weekly = schedule('2026-12-04T08:00:00Z', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-3', 'UTC');
    expect(starts(weekly, '2026-12-21T00:00Z', '2026-12-31T23:00Z')).toEqual(['2026-12-25T08:00:00.000Z']);
  });

  test('start with the configured one even if it does not match the rule', () => {
    const sundays = schedule('2026-11-25T08:00:00.250Z', 'FREQ=WEEKLY;BYDAY=SU', 'UTC');
    expect(starts(sundays, '2026-11-20T00:00Z', '2026-11-30T00:00Z')).toEqual([
      '2026-11-25T08:00:00.250Z', '2026-11-29T08:00:00.250Z',
    ]);
  });

  test('without recurrence are one until it ends, then none', () => {
    const once = schedule('2026-11-25T08:00:00Z', null, 'UTC');
    expect(starts(once, '2026-11-25T09:59Z', '2026-11-26T00:00Z')).toHaveLength(1);
    expect(starts(once, '2026-11-25T10:00Z', '2026-11-26T00:00Z')).toEqual([]);
  });

  test('end with COUNT or UNTIL', () => {
    const twice = schedule('2026-11-25T08:00:00Z', 'FREQ=DAILY;COUNT=2', 'UTC');
    expect(starts(twice, '2026-11-20T00:00Z', '2026-11-30T00:00Z')).toHaveLength(2);
    const until = schedule('2026-11-25T08:00:00Z', 'FREQ=MONTHLY;UNTIL=20270101T000000Z', 'UTC');
    expect(starts(until, '2027-01-01T00:00Z', '2027-02-01T00:00Z')).toEqual([]);
  });

  test('are empty for a rule that never matches', () => {
    const never = schedule('2020-11-25T08:00:00Z', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'UTC');
    expect(starts(never, '2026-11-20T00:00Z', '2026-11-30T00:00Z')).toEqual([]);
  });
});

describe('a recurrence is rejected', () => {
  test.each([
    ['FREQ=SECONDLY', 'FREQ must be DAILY or longer'],
    ['FREQ=HOURLY;COUNT=2', 'FREQ must be DAILY or longer'],
    ['FREQ=DAILY;BYHOUR=1,2,3', /^Unknown part/],
    ['FREQ=DAILY;COUNT=100000', 'COUNT is not valid'],
    ['FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z', 'Must not contain both COUNT and UNTIL'],
    ['FREQ=DAILY;FREQ=DAILY', 'FREQ is listed twice'],
    ['FREQ=WEEKLY;BYDAY=5SU', /^Must be an iCalendar RRULE/],
    ['FREQ=MONTHLY;BYDAY=99SU', 'Must name a day that exists'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'Must name a day that exists'],
    ['FREQ=DAILY;BYMONTH=1;BYSETPOS=2', 'Must name a day that exists'],
    ['FREQ=DAILY;UNTIL=99999999T999999Z', /^Must be an iCalendar RRULE/],
    ['FREQ=DAILY\nDTSTART:20260101T000000Z', 'FREQ must be DAILY or longer'],
    ['INTERVAL=2', 'Must contain FREQ'],
    ['', /^Unknown part/],
    ['__proto__=1', /^Unknown part/],
  ])('%s', (rule, problem) => {
    if (typeof problem === 'string') expect(recurrenceProblem(rule)).toBe(problem);
    else expect(recurrenceProblem(rule)).toMatch(problem);
  });

  test('without exceptions, and an accepted one has at most one occurrence a day', () => {
    const part = fc.constantFrom(
      'FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=MONTHLY', 'FREQ=YEARLY', 'INTERVAL=3', 'COUNT=9', 'BYDAY=MO,TU,WE',
      'BYDAY=-1FR', 'BYMONTHDAY=31', 'BYMONTHDAY=-1,1', 'BYMONTH=2', 'BYMONTH=99', 'BYSETPOS=-1', 'WKST=SU',
      'BYHOUR=1', 'UNTIL=20300101T000000Z', 'X',
    );
    fc.assert(fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const rule = parts.join(';');
      if (recurrenceProblem(rule) !== null) return;
      const input = schedule('2026-11-01T08:00:00Z', rule, 'Europe/Berlin');
      const found = starts(input, '2026-11-20T00:00Z', '2026-11-29T00:00Z');
      expect(found.length).toBeLessThanOrEqual(10);
      expect(new Set(found.map((at) => at.slice(0, 10))).size).toBe(found.length);
    }), { numRuns: 200 });
  });
});
