import { RRuleTemporal } from 'rrule-temporal';
import { atPositions, rulePeriods } from './rule-days.ts';
import type { Occurrence, WindowSettings } from './window.ts';
import { ZoneClock } from '../work/zone-clock.ts';

/** Supported RRULE parts. There are none for times of day, so a rule has at most one occurrence a day. */
const PARTS: Record<string, RegExp> = {
  FREQ: /^(DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^[1-9]\d{0,2}$/,
  COUNT: /^[1-9]\d?$/,
  UNTIL: /^\d{8}T\d{6}Z$/,
  BYDAY: /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)(,([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)){0,6}$/,
  BYMONTHDAY: /^-?\d{1,2}(,-?\d{1,2}){0,30}$/,
  BYMONTH: /^\d{1,2}(,\d{1,2}){0,11}$/,
  BYSETPOS: /^-?\d{1,3}(,-?\d{1,3}){0,6}$/,
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
};
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const FIRST_DAY = Date.UTC(2000, 0, 1) / DAY_MS;
/** The calendar of this century repeats every 28 years. */
const LAST_YEAR_OF_CALENDAR = 2027;

export type Schedule = Pick<WindowSettings, 'starts_at' | 'ends_at' | 'recurrence' | 'timezone'>;

/**
 * Error message for an invalid rule; null if it is valid. Accepts at most one occurrence a day, so that
 * nobody can make Farwatch compute and store millions.
 */
export function recurrenceProblem(rule: string): string | null {
  const seen = new Set<string>();
  for (const part of rule.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=');
    const shape = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (shape === undefined || rest.length > 0) return `Unknown part; use ${Object.keys(PARTS).join(', ')}`;
    if (seen.has(name)) return `${name} is listed twice`;
    if (!shape.test(value)) return name === 'FREQ' ? 'FREQ must be DAILY or longer' : `${name} is not valid`;
    seen.add(name);
  }
  if (!seen.has('FREQ')) return 'Must contain FREQ';
  if (seen.has('COUNT') && seen.has('UNTIL')) return 'Must not contain both COUNT and UNTIL';
  try {
    const { bySetPos, ...every } = { ...parse(rule), interval: 1 };
    for (const days of rulePeriods(every, FIRST_DAY, FIRST_DAY, LAST_YEAR_OF_CALENDAR)) {
      if (atPositions(days, bySetPos).length > 0) return null;
    }
    return 'Must name a day that exists';
  } catch {
    return 'Must be an iCalendar RRULE, such as FREQ=WEEKLY;BYDAY=SU';
  }
}

/**
 * Occurrences that end after `from` and start before `until`, Unix ms, in order. As in iCalendar, the first
 * one need not match the rule, each starts at the same local time, and a day whose clocks skip that time has
 * none. The search ends with the year of `until` or with this century.
 */
export function* occurrencesFrom(schedule: Schedule, from: number, until?: number): Generator<Occurrence> {
  const lengthMs = schedule.ends_at - schedule.starts_at;
  for (const starts_at of startsFrom(schedule, from - lengthMs, until)) {
    if (until !== undefined && starts_at >= until) return;
    const ends_at = starts_at + lengthMs;
    if (ends_at > from) yield { starts_at, ends_at };
  }
}

/**
 * Starts of occurrences, in order; may include some before `from` and after `until`. A rule without COUNT is
 * evaluated from the year of `from`, however long ago its first occurrence was.
 */
function* startsFrom(
  { starts_at, recurrence, timezone }: Schedule, from: number, until?: number,
): Generator<number> {
  if (recurrence === null) return yield starts_at;
  const { count, until: last, bySetPos, ...rule } = parse(recurrence);
  const lastAt = last?.epochMilliseconds ?? Infinity;
  if (starts_at - (starts_at % 1000) > lastAt) return;
  yield starts_at;
  const zone = new ZoneClock(timezone);
  const restMs = starts_at % 1000;
  const start = zone.localTime(starts_at - restMs);
  const startDay = Math.floor(start / DAY_MS);
  const timeOfDay = start - startDay * DAY_MS;
  // Time zones differ from UTC by less than a day.
  const fromDay = Math.max(startDay, Math.floor(from / DAY_MS) - 1);
  // COUNT includes the first occurrence, even if it does not match the rule.
  let left = (count ?? Infinity) - 1;
  // The last week may extend into the next year.
  const lastYear = until === undefined ? undefined : new Date(until + WEEK_MS).getUTCFullYear();
  for (const period of rulePeriods(rule, startDay, count === undefined ? fromDay : startDay, lastYear)) {
    const isExact = count !== undefined || bySetPos !== undefined;
    const days = isExact ? period.filter((day) => zone.shows(day * DAY_MS + timeOfDay)) : period;
    for (const day of atPositions(days, bySetPos)) {
      if (day <= startDay) continue;
      if (left <= 0) return;
      left -= 1;
      if (day < fromDay) continue;
      const at = zone.instantOf(day * DAY_MS + timeOfDay);
      if (at === null) continue;
      if (at > lastAt) return;
      yield at + restMs;
    }
  }
}

/** Throws if the text is not a valid RRULE. */
function parse(recurrence: string) {
  const rruleString = `DTSTART:20000101T000000Z\nRRULE:${recurrence}`;
  const rule = new RRuleTemporal({ rruleString, strict: true });
  const { freq, interval = 1, byMonth, ...parts } = rule.options();
  return { ...parts, freq, interval, ...(byMonth === undefined ? {} : { byMonth: byMonth.map(Number) }) };
}
