import { isoTime } from '../../../shared/time.ts';
import type { WindowDraft } from '../../maintenance/schema.ts';
import { ZoneClock } from '../../work/zone-clock.ts';

const DAY_MS = 86_400_000;
/** A Monday. Windows that have no first day begin here, so that a file always becomes the same document. */
const FIRST_DAY = Date.UTC(2024, 0, 1);
/** Every rule has a day within. */
const MAX_DAYS_AHEAD = 366;
/** Longer than any window may be. */
const MAX_DURATION_MS = 366 * DAY_MS;
const NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

export type Repetition =
  | { kind: 'once' }
  | { kind: 'daily'; every?: number }
  /** 1 is Monday. */
  | { kind: 'weekly'; days: readonly number[] }
  /** -1 is the last day of the month. */
  | { kind: 'monthly'; days: readonly number[] };

interface Occurrences {
  /** `YYYY-MM-DD`: not before that day. */
  from?: string;
  /** `HH:MM`, maybe with seconds, in the time zone. */
  time: string;
  durationMs: number;
  timezone: string;
  repeats: Repetition;
  /** Unix ms: not after that. */
  until?: number;
}

/** The times of a maintenance window; null if one of them is not valid. */
export function windowTimes(
  { from, time, durationMs, timezone, repeats, until }: Occurrences,
): Pick<WindowDraft, 'starts_at' | 'ends_at' | 'recurrence' | 'timezone'> | null {
  const timeOfDay = timeOfDayMs(time);
  const firstDay = from === undefined ? FIRST_DAY : Date.parse(`${from}T00:00:00Z`);
  const zone = zoneClock(timezone);
  if (timeOfDay === null || Number.isNaN(firstDay) || zone === null) return null;
  if (!(durationMs > 0 && durationMs < MAX_DURATION_MS)) return null;
  for (let day = 0; day < MAX_DAYS_AHEAD; day += 1) {
    const date = firstDay + day * DAY_MS;
    const start = isDue(repeats, date) ? zone.instantOf(date + timeOfDay) : null;
    if (start === null) continue;
    const rule = ruleOf(repeats);
    const end = until === undefined ? '' : `;UNTIL=${isoTime(until).replace(/[-:]|\.\d+/g, '')}`;
    return {
      starts_at: isoTime(start), ends_at: isoTime(start + durationMs), timezone,
      recurrence: rule === null ? null : `${rule}${end}`,
    };
  }
  return null;
}

/** From one time of day to the next such time as `to`, ms; null if one is not valid. */
export function durationBetween(from: string, to: string): number | null {
  const [start, end] = [timeOfDayMs(from), timeOfDayMs(to)];
  if (start === null || end === null) return null;
  return end > start ? end - start : end + DAY_MS - start;
}

function timeOfDayMs(text: string): number | null {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/.exec(text) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59 || hours === undefined) return null;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

function zoneClock(timezone: string): ZoneClock | null {
  try {
    return new ZoneClock(timezone);
  } catch {
    return null;
  }
}

function isDue(repeats: Repetition, date: number): boolean {
  const day = new Date(date);
  switch (repeats.kind) {
    case 'once': case 'daily': return true;
    case 'weekly': return repeats.days.includes(day.getUTCDay() === 0 ? 7 : day.getUTCDay());
    case 'monthly': {
      const monthDays = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
      return repeats.days.some((one) => day.getUTCDate() === (one < 0 ? monthDays + 1 + one : one));
    }
  }
}

function ruleOf(repeats: Repetition): string | null {
  switch (repeats.kind) {
    case 'once': return null;
    case 'daily': return repeats.every === undefined || repeats.every === 1 ? 'FREQ=DAILY' : `FREQ=DAILY;INTERVAL=${repeats.every}`;
    case 'weekly': return `FREQ=WEEKLY;BYDAY=${repeats.days.map((day) => NAMES[day - 1]).join(',')}`;
    case 'monthly': return `FREQ=MONTHLY;BYMONTHDAY=${repeats.days.join(',')}`;
  }
}
