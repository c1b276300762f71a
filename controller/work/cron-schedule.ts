import { Cron } from 'croner';
import { MAX_EARLY_MS, type CronSchedule } from '../verdicts/monitor-config.ts';
import { ZoneClock } from './zone-clock.ts';

/** A ping may be early by this share of the time to the due time after its own. */
const MAX_EARLY_SHARE = 0.1;
/** Wildcards, numbers, names, lists, ranges, steps, and `L`, `W` and `#`. Croner accepts more. */
const FIVE_FIELDS = /^(?:[\dA-Za-z*,\-/#]+ ){4}[\dA-Za-z*,\-/#]+$/;

/** Why a line is no schedule; null if it is one. */
export function cronProblem(line: string): string | null {
  if (!FIVE_FIELDS.test(line)) {
    return 'Must have five fields: minute, hour, day of month, month and day of week, such as 0 3 * * *';
  }
  try {
    return parse(line).nextRun(new Date(0)) === null ? 'Never comes due' : null;
  } catch (error) {
    return `Is no cron schedule: ${(error as Error).message.replace(/^CronPattern: /, '')}`;
  }
}

/**
 * Due times after `after` (Unix ms), in order. A local time that the clocks skip is none, and of one that
 * they repeat, only the first is: schedulers differ there, and no ping must be due that a job does not send.
 * Throws if the time zone or the line is not valid.
 */
export function* dueTimes({ cron, timezone }: CronSchedule, after: number): Generator<number, void> {
  const pattern = parse(cron);
  const zone = new ZoneClock(timezone);
  let local: Date | null = new Date(zone.localTime(after));
  while ((local = pattern.nextRun(local)) !== null) {
    const at = zone.instantOf(local.getTime());
    if (at !== null && at > after) yield at;
  }
}

/**
 * When the ping after one at `at` is due, Unix ms. A ping up to a minute early is that of the due time after
 * it, because clocks differ. Null if none is due, or if the schedule cannot be evaluated.
 */
export function nextDueAt(schedule: CronSchedule, at: number): number | null {
  try {
    const [due = null, following = null] = take(dueTimes(schedule, at), 2);
    if (due === null || following === null) return due;
    const earlyMs = Math.min(MAX_EARLY_MS, (following - due) * MAX_EARLY_SHARE);
    return due - at <= earlyMs ? following : due;
  } catch {
    return null;
  }
}

/** The first due time after `after`, Unix ms. Null if there is none, or if it cannot be evaluated. */
export function firstDueAt(schedule: CronSchedule, after: number): number | null {
  try {
    return take(dueTimes(schedule, after), 1)[0] ?? null;
  } catch {
    return null;
  }
}

/** The first `count` values. */
export function take<T>(values: Generator<T, void>, count: number): T[] {
  const taken: T[] = [];
  for (const value of values) if (taken.push(value) >= count) break;
  return taken;
}

/** Evaluates the line in UTC, so that it knows no clock changes. */
function parse(line: string): Cron {
  const [, , day = '', , weekday = ''] = line.split(' ');
  // As in cron: a day must match both fields if one of them begins with a wildcard, else any of them.
  const domAndDow = day.startsWith('*') || weekday.startsWith('*');
  return new Cron(line, { mode: '5-part', utcOffset: 0, paused: true, sloppyRanges: true, domAndDow });
}
