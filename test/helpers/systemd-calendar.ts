import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Lines that a clock change affects in every way: by the hour, at times that are skipped or repeated, by day. */
const LINES = [
  '* * * * *', '*/5 * * * *', '*/15 * * * *', '0 * * * *', '30 * * * *', '5,35 * * * *', '7-59/13 * * * *',
  '0 */2 * * *', '15 */3 * * *', '0 0 * * *', '0 1 * * *', '59 1 * * *', '0 2 * * *', '15 2 * * *', '30 2 * * *',
  '45 2 * * *', '0 3 * * *', '15 1-4 * * *', '*/20 2 * * *', '*/10 1-3 * * *', '0 2,3 * * *', '30 1,2,3 * * *',
  '0 9-17 * * 1-5', '30 2 * * 0', '30 2 * * 7', '30 2 * * sun', '30 2 * * SAT,SUN', '0 3 * * MON-FRI',
  '0 22 * * 1,3,5', '30 2 1 * *', '30 2 29 3 *', '30 1 1-7 11 0', '0 2 25 10 *', '0 4 */2 * *', '30 2 */2 * 0',
  '30 2 L * *', '30 2 * * 0#1', '30 2 * * 0L', '0 0 29 2 *', '0 12 1,15 * 5',
];

/** Both clock changes of 2026 by time zone. That of Lord Howe Island is half an hour. */
const CHANGES = {
  'Europe/Berlin': ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z'],
  'America/New_York': ['2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z'],
  'Australia/Lord_Howe': ['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z'],
};

/** A line around a clock change. */
export interface CronCase {
  line: string;
  timezone: string;
  /** Unix ms. */
  change: number;
}

export const CASES: CronCase[] = LINES.flatMap((line) => Object.entries(CHANGES).flatMap(([timezone, changes]) =>
  changes.map((change) => ({ line, timezone, change: Date.parse(change) }))));

/** The times to compare: after `from` and up to `until`, but at least three. */
export function rangeOf({ line, change }: CronCase): { from: number; until: number } {
  const isHourly = line.split(' ')[1] === '*';
  return isHourly
    ? { from: change - HOUR_MS, until: change + 2.5 * HOUR_MS }
    : { from: change - 30 * HOUR_MS, until: change + 50 * HOUR_MS };
}

/** Minutes from the clock change to each of the times in the range, which are in order. */
export function describeTimes({ change, ...of }: CronCase, times: readonly number[]): string {
  const { until } = rangeOf({ change, ...of });
  const shown = times.filter((at, index) => at <= until || index < 3);
  const minutes = shown.map((at) => (at - change) / MINUTE_MS);
  return `${of.line} | ${of.timezone} | ${new Date(change).toISOString()} | ${minutes.join(' ')}`;
}

/** The due times by `systemd-analyze calendar`. */
export async function systemdTimes(of: CronCase): Promise<number[]> {
  const { from } = rangeOf(of);
  const base = new Date(from).toISOString().replace('T', ' ').replace(/\.000Z$/, ' UTC');
  const found = await Promise.all(toCalendars(of.line).map(async (calendar) => {
    const args = ['calendar', '--iterations=250', `--base-time=${base}`, `${calendar} ${of.timezone}`];
    const { stdout } = await promisify(execFile)('systemd-analyze', args, { env: { ...process.env, TZ: 'UTC' } });
    return [...stdout.matchAll(/(?:Next elapse|Iter\. #\d+): \w+ (\S+) (\S+) UTC/g)]
      .map(([, day, time]) => Date.parse(`${day}T${time}Z`));
  }));
  return [...new Set(found.flat())].sort((one, other) => one - other);
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const LAST_DAY = '~01';

/** A line as OnCalendar expressions. Either may match, because systemd cannot join two days by "or". */
function toCalendars(line: string): string[] {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = line.toLowerCase().split(' ');
  const time = `${values(hour, 0, 23)}:${values(minute, 0, 59)}:00`;
  const months = values(month, 1, 12);
  const days = day === 'l' ? LAST_DAY : `-${values(day, 1, 31)}`;
  const nth = /^(\d)(?:#(\d)|l)$/.exec(weekday);
  if (nth !== null) {
    const [, number, week] = nth;
    const ofWeek = week === undefined ? '~07/1' : `-${Number(week) * 7 - 6}..${Number(week) * 7}`;
    return [`${WEEKDAYS[Number(number)]} *-${months}${ofWeek} ${time}`];
  }
  const names = weekday === '*' ? '' : `${expand(weekday, 0, 7).map((one) => WEEKDAYS[one]).join(',')} `;
  const isEither = names !== '' && !day.startsWith('*');
  return isEither
    ? [`*-${months}${days} ${time}`, `${names}*-${months}-* ${time}`]
    : [`${names}*-${months}${days} ${time}`];
}

function values(field: string, min: number, max: number): string {
  return field === '*' ? field : expand(field, min, max).join(',');
}

function expand(field: string, min: number, max: number): number[] {
  const numberOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : WEEKDAYS.indexOf(text));
  return field.split(',').flatMap((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [first = min, last = first] = range === '*' ? [min, max] : range.split('-').map(numberOf);
    return Array.from({ length: Math.floor((last - first) / Number(step)) + 1 }, (_, at) => first + at * Number(step));
  });
}
