import { timeZoneInput } from '../../http/input/validation.ts';
import { SLUG } from '../../monitors/settings/heartbeat.ts';
import { cronProblem } from '../../work/cron-schedule.ts';
import type { Conversion } from '../conversion.ts';
import type { Converter, Source } from '../converter.ts';
import { fieldsOf, numberOf, rowsOf, textOf, type Fields } from '../loose.ts';
import type { Draft } from '../fit-monitor.ts';

const DAY_S = 86_400;
const MAX_INTERVAL_S = 366 * DAY_S;

/** Healthchecks: the response of its list of checks. */
export const healthchecks: Converter = {
  title: 'a list of checks of Healthchecks',
  recognizes: (source) => checksOf(source).length > 0,
  convert: (source, into) => {
    for (const check of checksOf(source)) addCheck(check, into);
  },
};

/** The checks of one response, of a list of responses, or of a plain list. */
function checksOf(source: Source): Fields[] {
  if (source.kind !== 'json') return [];
  const lists = Array.isArray(source.value) ? source.value : [source.value];
  return lists.map(fieldsOf).flatMap((list) => (Array.isArray(list['checks']) ? rowsOf(list['checks']) : [list]))
    .filter((check) => 'grace' in check && ('n_pings' in check || 'ping_url' in check || 'unique_key' in check));
}

function addCheck(check: Fields, into: Conversion): void {
  const token = textOf(check['ping_url']).replace(/\/+$/, '').split('/').at(-1) || textOf(check['uuid']);
  const notes: string[] = [];
  if (token === '') notes.push('It gets a new token, because a read-only API key does not show its own; change its jobs.');
  const timing = timingOf(check, notes);
  const isPaused = check['status'] === 'paused' || timing === null;
  const grace = numberOf(check['grace']) ?? 3600;
  const slug = textOf(check['slug']);
  const tags = textOf(check['tags']).split(/\s+/).filter((tag) => tag !== '');
  noteLosses(check, notes);
  into.addMonitor({
    name: textOf(check['name']) || slug, type: 'HEARTBEAT',
    ...(timing ?? { heartbeat_interval: DAY_S }), grace_period: grace,
    // A run may take as long as a ping may be late.
    max_runtime_seconds: grace, ...(SLUG.test(slug) ? { slug } : {}),
    heartbeat_token: token || undefined, ...(tags.length > 0 ? { tags } : {}), ...(isPaused ? { status: 'paused' } : {}),
  }, notes);
}

/** When pings are due; null for a schedule that cannot be read. */
function timingOf(check: Fields, notes: string[]): Partial<Draft> | null {
  const schedule = textOf(check['schedule']).trim().split(/\s+/).join(' ');
  if (schedule === '') return { heartbeat_interval: Math.min(MAX_INTERVAL_S, numberOf(check['timeout']) ?? DAY_S) };
  if (cronProblem(schedule) !== null) {
    notes.push(`It is paused, because its schedule is not a cron expression: ${schedule}. Set its interval.`);
    return null;
  }
  const timezone = textOf(check['tz']) || 'UTC';
  const isKnown = timeZoneInput.safeParse(timezone).success;
  if (!isKnown) notes.push(`Its schedule is in UTC, because its time zone is not known: ${timezone}.`);
  return { heartbeat_schedule: schedule, heartbeat_timezone: isKnown ? timezone : 'UTC' };
}

function noteLosses(check: Fields, notes: string[]): void {
  if (textOf(check['channels']) !== '') notes.push('It does not name its integrations.');
  if (textOf(check['desc']) !== '') notes.push('Monitors have no description in Farwatch.');
  if (textOf(check['methods']) === 'POST') notes.push('It also accepts GET requests.');
  const filters = ['start_kw', 'success_kw', 'failure_kw', 'subject', 'subject_fail'].filter((name) => textOf(check[name]) !== '');
  if (filters.length > 0) notes.push('Keywords in emails and bodies are not read; report failures to its address with /fail.');
}
