import type { Conversion } from '../conversion.ts';
import type { Converter, Source } from '../converter.ts';
import { fieldsOf, numberOf, rowsOf, textOf, type Fields } from '../loose.ts';
import { longestGapSeconds } from './cron-gap.ts';

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
  const interval = intervalOf(check, notes);
  const isPaused = check['status'] === 'paused' || interval === null;
  const tags = textOf(check['tags']).split(/\s+/).filter((tag) => tag !== '');
  noteLosses(check, notes);
  into.addMonitor({
    name: textOf(check['name']) || textOf(check['slug']), type: 'HEARTBEAT',
    heartbeat_interval: Math.min(MAX_INTERVAL_S, interval ?? DAY_S), grace_period: numberOf(check['grace']) ?? 3600,
    heartbeat_token: token || undefined, ...(tags.length > 0 ? { tags } : {}), ...(isPaused ? { status: 'paused' } : {}),
  }, notes);
}

/** Seconds; null for a schedule that cannot be read. */
function intervalOf(check: Fields, notes: string[]): number | null {
  const schedule = textOf(check['schedule']);
  if (schedule === '') return numberOf(check['timeout']) ?? DAY_S;
  const gap = longestGapSeconds(schedule);
  if (gap === null) notes.push(`It is paused, because its schedule is not a cron expression: ${schedule}. Set its interval.`);
  else notes.push(`Its schedule ${schedule} becomes the longest time between two runs, ${gap} s.`);
  return gap;
}

function noteLosses(check: Fields, notes: string[]): void {
  if (textOf(check['channels']) !== '') notes.push('It does not name its integrations.');
  if (textOf(check['desc']) !== '') notes.push('Monitors have no description in Farwatch.');
  if (textOf(check['methods']) === 'POST') notes.push('It also accepts GET requests.');
  const filters = ['start_kw', 'success_kw', 'failure_kw', 'subject', 'subject_fail'].filter((name) => textOf(check[name]) !== '');
  if (filters.length > 0) notes.push('Keywords in emails and bodies are not read; report failures to its address with /fail.');
}
