import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  choiceOf, daysOfMonth, fromLocal, monthAway, ruleOf, toLocal, WEEKDAYS,
} from '../../../controller/console/app/maintenance/recurrence.ts';

describe('recurrence choices', () => {
  test.each([
    'FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;COUNT=9', 'FREQ=MONTHLY',
    'FREQ=MONTHLY;BYDAY=2TU', 'FREQ=MONTHLY;BYDAY=-1SU', 'FREQ=YEARLY;COUNT=3',
  ])('%s is a choice that gives the same rule', (rule) => {
    expect(choiceOf(rule)).toMatchObject({ kind: rule.split(/[=;]/)[1] });
    expect(ruleOf(choiceOf(rule))).toBe(rule);
  });

  test.each([
    'FREQ=MONTHLY;BYMONTHDAY=-1', 'FREQ=WEEKLY;UNTIL=20270101T000000Z', 'FREQ=MONTHLY;BYDAY=1MO,2TU', 'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  ])('%s is not covered by the choices and stays unchanged', (rule) => {
    expect(choiceOf(rule)).toEqual({ kind: 'custom', rule });
    expect(ruleOf(choiceOf(rule))).toBe(rule);
  });

  test('every weekly choice can be read back', () => {
    const chosen = fc.record({ every: fc.integer({ min: 1, max: 999 }), days: fc.subarray([...WEEKDAYS], { minLength: 1 }) });
    fc.assert(fc.property(chosen, ({ every, days }) => {
      const choice = { kind: 'WEEKLY', every, days, nth: null, count: null } as const;
      expect(choiceOf(ruleOf(choice))).toEqual(choice);
    }));
  });

  test('no recurrence gives no rule', () => {
    expect(ruleOf(choiceOf(null))).toBeNull();
  });
});

describe('local times', () => {
  test('every unambiguous minute in a zone can be read back', () => {
    const minute = fc.integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2030, 0, 1) / 60_000 });
    const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham', 'UTC');
    fc.assert(fc.property(minute, zone, (minutes, timeZone) => {
      const at = minutes * 60_000;
      const back = fromLocal(toLocal(at, timeZone), timeZone);
      // A repeated minute gives the first of the two.
      expect([at, at - 3_600_000]).toContain(back);
    }));
  });

  test('a skipped local time is moved forward, a repeated one gives the first', () => {
    expect(new Date(fromLocal('2027-03-28T02:30', 'Europe/Berlin')).toISOString()).toBe('2027-03-28T01:30:00.000Z');
    expect(new Date(fromLocal('2027-10-31T02:30', 'Europe/Berlin')).toISOString()).toBe('2027-10-31T00:30:00.000Z');
    expect(fromLocal('tomorrow', 'UTC')).toBeNaN();
  });
});

describe('calendar', () => {
  test('shows whole weeks that start on Monday', () => {
    const days = daysOfMonth('2027-08');
    expect([days[0], days.at(-1), days.length]).toEqual(['2027-07-26', '2027-09-05', 42]);
    expect(daysOfMonth('2027-02')).toHaveLength(28);
  });

  test('moves from month to month across years', () => {
    expect([monthAway('2026-12', 1), monthAway('2027-01', -1), monthAway('2027-05', 0)]).toEqual(['2027-01', '2026-12', '2027-05']);
  });
});
