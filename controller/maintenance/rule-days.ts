const DAY_MS = 86_400_000;
/** Bounds every search for occurrences. Windows are limited to this century too. */
const LAST_YEAR = 2099;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The parts of an RRULE with at most one occurrence a day. */
export interface DayRule {
  freq: string;
  interval: number;
  byDay?: readonly string[];
  byMonth?: readonly number[];
  byMonthDay?: readonly number[];
  bySetPos?: readonly number[];
  wkst?: string;
}

interface Day {
  /** Days since 1970-01-01. */
  day: number;
  year: number;
  /** Starts at 1, like `date`. */
  month: number;
  date: number;
  daysInMonth: number;
}

/** Matching days (since 1970-01-01) of each period, from the year of `from` on. */
export function* rulePeriods(
  rule: DayRule, startDay: number, from: number, lastYear = LAST_YEAR,
): Generator<number[]> {
  let period: number | null = null;
  let days: number[] = [];
  for (const { day, key } of matchingDays(rule, startDay, from, lastYear)) {
    if (key !== period && days.length > 0) yield days;
    if (key !== period) days = [];
    period = key;
    days.push(day);
  }
  if (days.length > 0) yield days;
}

/** Applies BYSETPOS to the matching days of a period. */
export function atPositions(days: readonly number[], positions: readonly number[] | undefined): number[] {
  if (positions === undefined) return [...days];
  const selected = new Set(positions.map((at) => days.at(at > 0 ? at - 1 : at)));
  return days.filter((day) => selected.has(day));
}

/** `key` identifies the period of a day. */
function* matchingDays(
  rule: DayRule, startDay: number, from: number, lastYear: number,
): Generator<{ day: number; key: number }> {
  const start = new Date(startDay * DAY_MS);
  const [startYear, startMonth] = [start.getUTCFullYear(), start.getUTCMonth() + 1];
  const matches = dayMatcher(rule, start);
  const weekStart = WEEKDAYS.indexOf(rule.wkst ?? 'MO');
  const weekOf = (day: number) => Math.floor((day + 3 - weekStart) / 7);
  const { freq, interval } = rule;
  // Number of periods between the start and a day.
  const periodOf = ({ day, year, month }: Day): number => {
    if (freq === 'DAILY') return day - startDay;
    if (freq === 'WEEKLY') return weekOf(day) - weekOf(startDay);
    return freq === 'MONTHLY' ? (year - startYear) * 12 + month - startMonth : year - startYear;
  };
  // A week earlier, because the first week may start in the previous year.
  const firstYear = new Date((Math.max(from, startDay) - 7) * DAY_MS).getUTCFullYear();
  for (let year = firstYear; year <= Math.min(lastYear, LAST_YEAR); year += 1) {
    if (freq === 'YEARLY' && (year - startYear) % interval !== 0) continue;
    for (let month = 1; month <= 12; month += 1) {
      if (rule.byMonth !== undefined && !rule.byMonth.includes(month)) continue;
      const first = Date.UTC(year, month - 1, 1) / DAY_MS;
      const daysInMonth = Date.UTC(year, month, 1) / DAY_MS - first;
      for (let date = 1; date <= daysInMonth; date += 1) {
        const day = { day: first + date - 1, year, month, date, daysInMonth };
        const key = periodOf(day);
        if (key >= 0 && key % interval === 0 && matches(day)) yield { day: day.day, key };
      }
    }
  }
}

/** A rule that does not name days within its period takes them from the start. */
function dayMatcher(rule: DayRule, start: Date): (day: Day) => boolean {
  const { freq, byDay, byMonth, byMonthDay } = rule;
  const startWeekday = (start.getUTCDay() + 6) % 7;
  const isYearly = freq === 'YEARLY';
  const dates = byMonthDay === undefined ? null : new Set(byMonthDay);
  const isOfStart = byDay === undefined && byMonthDay === undefined;
  const weekdays = (byDay ?? []).map((text) => (
    { nth: Number(text.slice(0, -2)), weekday: WEEKDAYS.indexOf(text.slice(-2)) }
  ));
  return (day) => {
    const { month, date, daysInMonth } = day;
    const weekday = (day.day + 3) % 7;
    if (isOfStart && freq === 'WEEKLY') return weekday === startWeekday;
    if (isOfStart && freq === 'DAILY') return true;
    if (isOfStart && isYearly && byMonth === undefined && month !== start.getUTCMonth() + 1) return false;
    if (isOfStart) return date === start.getUTCDate();
    if (dates !== null && !dates.has(date) && !dates.has(date - daysInMonth - 1)) return false;
    if (byDay === undefined) return true;
    // `1MO` is the first Monday of the month, or of the year if a yearly rule names no months.
    const isOfYear = isYearly && byMonth === undefined;
    return weekdays.some((each) => each.weekday === weekday
      && (each.nth === 0 || isNth(each.nth, isOfYear ? placeInYear(day) : { at: date, of: daysInMonth })));
  };
}

function placeInYear({ day, year }: Day): { at: number; of: number } {
  const first = Date.UTC(year, 0, 1) / DAY_MS;
  return { at: day - first + 1, of: Date.UTC(year + 1, 0, 1) / DAY_MS - first };
}

/** Whether a weekday is the nth of its month or year; a negative `nth` counts from the end. */
function isNth(nth: number, { at, of }: { at: number; of: number }): boolean {
  return nth > 0 ? Math.ceil(at / 7) === nth : Math.ceil((of - at + 1) / 7) === -nth;
}
