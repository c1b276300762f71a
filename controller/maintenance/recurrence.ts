import { RRuleTemporal } from 'rrule-temporal';
import type { Occurrence, WindowSettings } from './window.ts';

/** What a rule may consist of. Times of day are those of the first occurrence, so at most one a day. */
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
/** Rules that hit nothing for longer (30 February) have no further occurrence. */
const MOST_PERIODS = 1000;
const MOST_CANDIDATES = 50_000;

export type Schedule = Pick<WindowSettings, 'starts_at' | 'ends_at' | 'recurrence' | 'timezone'>;

/**
 * What is wrong with a rule, for the person who sent it; null if nothing. Only rules of at most one
 * occurrence a day are accepted, so that nobody can make Farwatch compute and keep millions.
 */
export function recurrenceProblem(rule: string): string | null {
  const seen = new Set<string>();
  for (const part of rule.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=');
    const shape = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (shape === undefined || rest.length > 0) return `Unknown part; use ${Object.keys(PARTS).join(', ')}`;
    if (seen.has(name)) return `${name} is given twice`;
    if (!shape.test(value)) return name === 'FREQ' ? 'FREQ must be DAILY or longer' : `${name} is not valid`;
    seen.add(name);
  }
  if (!seen.has('FREQ')) return 'Must have a FREQ';
  if (seen.has('COUNT') && seen.has('UNTIL')) return 'Must not have both COUNT and UNTIL';
  try {
    ruleOf({ starts_at: 0, recurrence: rule, timezone: 'UTC' }).next(new Date(0));
    return null;
  } catch {
    return 'Must be an RRULE of iCalendar, such as FREQ=WEEKLY;BYDAY=SU';
  }
}

/**
 * The occurrences that overlap the time between two instants (Unix ms), in order, and at least the next one
 * if there is any. Each begins at the same time of day in the zone, and lasts as long as the first. Where
 * the clocks skip that time of day, there is none, as iCalendar says.
 */
export function occurrencesIn(schedule: Schedule, from: number, until: number): Occurrence[] {
  const { starts_at, ends_at, recurrence } = schedule;
  if (recurrence === null) return ends_at > from ? [{ starts_at, ends_at }] : [];
  const lengthMs = ends_at - starts_at;
  const rule = ruleOf({ ...schedule, recurrence });
  const after = new Date(Math.max(from - lengthMs, starts_at - 1000));
  const end = new Date(Math.max(until, after.getTime()));
  const found = unlessEndless(() => rule.between(after, end, true)) ?? [];
  const begins = found.map((each) => each.epochMilliseconds).filter((at) => at + lengthMs > from);
  const next = begins.length > 0 ? null : unlessEndless(() => rule.next(end));
  if (next !== null) begins.push(next.epochMilliseconds);
  // The library counts in whole seconds.
  const restMs = starts_at % 1000;
  return begins.map((at) => ({ starts_at: at + restMs, ends_at: at + restMs + lengthMs }));
}

/** Whether the rule has an occurrence that begins after this instant (Unix ms). */
export function continuesAfter(schedule: Schedule, at: number): boolean {
  const { recurrence } = schedule;
  if (recurrence === null) return false;
  const rule = ruleOf({ ...schedule, recurrence });
  return unlessEndless(() => rule.next(new Date(at))) !== null;
}

/** Null where the library gives up: it has looked through so many periods that none will follow. */
function unlessEndless<T>(find: () => T): T | null {
  try {
    return find();
  } catch {
    return null;
  }
}

function ruleOf({ starts_at, recurrence, timezone }: Omit<Schedule, 'ends_at'> & { recurrence: string }) {
  return new RRuleTemporal({
    rruleString: `DTSTART;TZID=${timezone}:${localTime(starts_at, timezone)}\nRRULE:${recurrence}`,
    // The first occurrence is the one that people have set, even if the rule would not hit it.
    includeDtstart: true, strict: true, cache: false,
    maxIterations: MOST_PERIODS, maxCandidateEvaluations: MOST_CANDIDATES,
  });
}

/** What the clocks of a zone show, as iCalendar writes it: 20261025T023000. */
function localTime(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit',
    second: '2-digit', hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const [year, month, day] = (['year', 'month', 'day'] as const).map((part) => parts.get(part));
  return `${year}${month}${day}T${parts.get('hour')}${parts.get('minute')}${parts.get('second')}`;
}
