import { timeZoneInput } from '../../http/input/validation.ts';
import { SLUG } from '../../monitors/settings/heartbeat.ts';
import { cronProblem } from '../../work/cron-schedule.ts';
import type { Conversion } from '../conversion.ts';
import type { Converter, Source } from '../converter.ts';
import { fieldsOf, numberOf, rowsOf, textOf, type Fields } from '../loose.ts';
import type { Draft } from '../fit-monitor.ts';

const DAY_S = 86_400;
const MAX_INTERVAL_S = 366 * DAY_S;

/** Healthchecks: the response of its list of checks, if possible with that of its list of integrations. */
export const healthchecks: Converter = {
  title: 'a list of checks of Healthchecks',
  recognizes: (source) => checksOf(source).length > 0,
  convert: (source, into) => {
    const channels = addChannels(source, into);
    for (const check of checksOf(source)) addCheck(check, channels, into);
  },
};

function checksOf(source: Source): Fields[] {
  return itemsOf(source, 'checks')
    .filter((check) => 'grace' in check && ('n_pings' in check || 'ping_url' in check || 'unique_key' in check));
}

/** The items of one response, of a list of responses, or of a plain list. */
function itemsOf(source: Source, kind: 'checks' | 'channels'): Fields[] {
  if (source.kind !== 'json') return [];
  const lists = Array.isArray(source.value) ? source.value : [source.value];
  return lists.map(fieldsOf).flatMap((list) => (Array.isArray(list[kind]) ? rowsOf(list[kind]) : [list]));
}

/**
 * Destinations in the document by the id of the integration; null for one that the document lacks. The list
 * has no addresses, but integrations for email are often named after theirs.
 */
function addChannels(source: Source, into: Conversion): ReadonlyMap<string, string | null> {
  const channels = itemsOf(source, 'channels').filter((item) => 'kind' in item && 'id' in item);
  return new Map(channels.map(({ id, kind, name }) => {
    const label = textOf(name) || `${textOf(kind)} integration`;
    const isAddress = kind === 'email' && label.includes('@');
    if (isAddress) return [textOf(id), into.addDestination(label, { type: 'email', config: { to: [label] } })];
    into.skip(label, `Healthchecks does not show the address of its integration of the kind ${textOf(kind)}; add a destination.`);
    return [textOf(id), null];
  }));
}

function addCheck(check: Fields, channels: ReadonlyMap<string, string | null>, into: Conversion): void {
  const token = textOf(check['ping_url']).replace(/\/+$/, '').split('/').at(-1) || textOf(check['uuid']);
  const notes: string[] = [];
  if (token === '') notes.push('It gets a new token, because a read-only API key does not show its own; change its jobs.');
  const timing = timingOf(check, notes);
  const isPaused = check['status'] === 'paused' || timing === null;
  const grace = numberOf(check['grace']) ?? 3600;
  const slug = textOf(check['slug']);
  const tags = textOf(check['tags']).split(/\s+/).filter((tag) => tag !== '');
  const destinations = destinationsOf(check, channels, notes);
  noteLosses(check, notes);
  into.addMonitor({
    name: textOf(check['name']) || slug, type: 'HEARTBEAT',
    ...(timing ?? { heartbeat_interval: DAY_S }), grace_period: grace,
    // A run may take as long as a ping may be late.
    max_runtime_seconds: grace, ...(SLUG.test(slug) ? { slug } : {}),
    heartbeat_token: token || undefined, ...(tags.length > 0 ? { tags } : {}),
    ...(destinations.length > 0 ? { destinations } : {}), ...(isPaused ? { status: 'paused' } : {}),
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

/** Notes those that the document lacks. */
function destinationsOf(
  check: Fields, channels: ReadonlyMap<string, string | null>, notes: string[],
): string[] {
  const ids = textOf(check['channels']).split(',').map((id) => id.trim()).filter((id) => id !== '');
  const names = ids.map((id) => channels.get(id) ?? null);
  const lost = names.filter((name) => name === null).length;
  if (lost > 0) notes.push(`The document lacks ${lost} of its ${names.length} integrations.`);
  return names.filter((name) => name !== null);
}

function noteLosses(check: Fields, notes: string[]): void {
  if (textOf(check['desc']) !== '') notes.push('Monitors have no description in Farwatch.');
  if (textOf(check['methods']) === 'POST') notes.push('It also accepts GET requests.');
  const filters = ['start_kw', 'success_kw', 'failure_kw', 'subject', 'subject_fail'].filter((name) => textOf(check[name]) !== '');
  if (filters.length > 0) notes.push('Keywords in emails and bodies are not read; report failures to its address with /fail.');
}
