import { joinHostPort } from '../../monitors/target.ts';
import type { Conversion } from '../conversion.ts';
import type { Converter, Source } from '../converter.ts';
import type { Draft } from '../fit-monitor.ts';
import { fieldsOf, isTrue, listOf, numberOf, rowsOf, textOf, type Fields } from '../loose.ts';
import { expectedStatus } from './expected-status.ts';
import { durationBetween, windowTimes } from './window-times.ts';

const GROUPS = ['monitor_group', 'heartbeat_group'];
const TYPES = ['monitor', 'heartbeat', ...GROUPS];
const ALL_REGIONS = 4;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const PROTOCOLS: Readonly<Record<string, 'smtp' | 'pop3' | 'imap'>> = { smtp: 'smtp', pop: 'pop3', imap: 'imap' };

/** Better Stack: responses of its lists of monitors, heartbeats and their groups. */
export const betterstack: Converter = {
  title: 'lists of monitors or heartbeats of Better Stack',
  recognizes: (source) => itemsOf(source).length > 0,
  convert: (source, into) => {
    const items = itemsOf(source);
    const groups = new Map<string, string>();
    for (const item of items.filter(({ type }) => GROUPS.includes(textOf(type)))) {
      const name = textOf(fieldsOf(item['attributes'])['name']);
      groups.set(`${textOf(item['type'])} ${textOf(item['id'])}`, into.addGroup(name, {}));
    }
    for (const { type, attributes } of items) {
      if (type === 'monitor') addMonitor(fieldsOf(attributes), groups, into);
      if (type === 'heartbeat') addHeartbeat(fieldsOf(attributes), groups, into);
    }
  },
};

/** The items of one page, of a list of pages, or of a plain list. */
function itemsOf(source: Source): Fields[] {
  if (source.kind !== 'json') return [];
  const pages = Array.isArray(source.value) ? source.value : [source.value];
  return pages.map(fieldsOf).flatMap((page) => (Array.isArray(page['data']) ? rowsOf(page['data']) : [page]))
    .filter(({ type, attributes }) => TYPES.includes(textOf(type)) && typeof attributes === 'object');
}

function addMonitor(monitor: Fields, groups: ReadonlyMap<string, string>, into: Conversion): void {
  const url = textOf(monitor['url']);
  const name = textOf(monitor['pronounceable_name']) || url;
  const notes: string[] = [];
  const settings = settingsOf(monitor, url, notes);
  if (settings === null) return into.skip(name, `Farwatch has no check of the type ${textOf(monitor['monitor_type']) || 'unknown'}.`);
  const interval = numberOf(monitor['check_frequency']) ?? 180;
  const timeout = numberOf(monitor['request_timeout']);
  const recovery = numberOf(monitor['recovery_period']) ?? 0;
  noteLosses(monitor, notes);
  const times = maintenanceOf(monitor);
  if (textOf(monitor['maintenance_from']) !== '' && times === null) notes.push('Its maintenance window is left out.');
  const added = into.addMonitor({
    name, interval_seconds: interval, ...(timeout === null ? {} : { timeout_ms: inSeconds(timeout) * 1000 }),
    confirmation_policy: { recoveries: Math.min(10, Math.round(recovery / interval)) },
    ...groupOf(monitor['monitor_group_id'], 'monitor_group', groups, notes),
    ...settings, ...(isPaused(monitor) ? { status: 'paused' } : {}),
  }, notes);
  if (added !== null && times !== null) {
    into.addWindow({ title: `Maintenance of ${added.name}`, ...times, monitors: [added.name] });
  }
}

/** Null if it has none, or one that is not valid. */
function maintenanceOf(monitor: Fields) {
  const [from, to] = [textOf(monitor['maintenance_from']), textOf(monitor['maintenance_to'])];
  const days = listOf(monitor['maintenance_days']).map((day) => DAYS.indexOf(textOf(day).toLowerCase()) + 1)
    .filter((day) => day > 0);
  return windowTimes({
    time: from, durationMs: durationBetween(from, to) ?? 0, timezone: textOf(monitor['maintenance_timezone']) || 'UTC',
    repeats: days.length === 0 ? { kind: 'daily' } : { kind: 'weekly', days: [...new Set(days)] },
  });
}

/** Timeouts of ping and TCP monitors are in milliseconds, the others in seconds. */
function inSeconds(timeout: number): number {
  return timeout >= 500 ? timeout / 1000 : timeout;
}

function noteLosses(monitor: Fields, notes: string[]): void {
  const regions = listOf(monitor['regions']).map(textOf);
  if (regions.length > 0 && regions.length < ALL_REGIONS) notes.push(`Its regions are not named: ${regions.join(', ')}.`);
  if (textOf(monitor['policy_id']) !== '') notes.push('It does not name its escalation policy.');
  if (textOf(monitor['proxy_host']) !== '') notes.push('It is checked without its proxy.');
}

function settingsOf(monitor: Fields, url: string, notes: string[]): (Partial<Draft> & Pick<Draft, 'type'>) | null {
  const type = textOf(monitor['monitor_type']);
  const host = url.replace(/^\w+:\/\//, '').replace(/\/.*$/s, '');
  const keyword = typeof monitor['required_keyword'] === 'string' ? monitor['required_keyword'] : '';
  switch (type) {
    case 'status': return { type: 'HTTP', ...requestSettings(monitor, url) };
    case 'expected_status_code':
      return { type: 'HTTP', ...requestSettings(monitor, url), ...expectedStatus(listOf(monitor['expected_status_codes']).map(textOf), notes) };
    case 'keyword': case 'keyword_absence': {
      const keywords = [{ text: keyword, should_contain: type === 'keyword' }];
      return { type: 'KEYWORD', ...requestSettings(monitor, url), keywords, match_mode: 'all', case_sensitive: true };
    }
    case 'ping': return { type: 'ICMP', target: host };
    case 'dns': return { type: 'DNS', target: textOf(monitor['request_body']), dns_server: host, record_entries: [{ type: 'A' }] };
    case 'tcp': case 'smtp': case 'pop': case 'imap': {
      const [port = '', ...others] = textOf(monitor['port']).split(',').map((one) => one.trim());
      if (others.length > 0) notes.push(`Only port ${port} is checked, not ${others.join(', ')}.`);
      const protocol = PROTOCOLS[type];
      const target = joinHostPort(host, Number(port));
      return { type: 'TCP', target, ...(protocol === undefined ? { protocol: 'generic', tls: 'none' } : { protocol }) };
    }
    default: return null;
  }
}

function requestSettings(monitor: Fields, url: string): Partial<Draft> {
  const headers = rowsOf(monitor['request_headers']).map(({ name, value }) => [textOf(name), textOf(value)] as const);
  const [username, password] = [textOf(monitor['auth_username']), textOf(monitor['auth_password'])];
  const body = typeof monitor['request_body'] === 'string' && monitor['request_body'] !== '' ? { body: monitor['request_body'] } : {};
  const expiry = (name: string) => numberOf(monitor[name]) ?? 0;
  return {
    target: url, method: (textOf(monitor['http_method']).toUpperCase() || 'GET') as 'GET',
    headers: Object.fromEntries(headers.filter(([name]) => name !== '')), ...body,
    follow_redirects: monitor['follow_redirects'] !== false, verify_ssl: monitor['verify_ssl'] !== false,
    ...(username === '' ? {} : { auth: { type: 'basic', username, password } }),
    ...(expiry('ssl_expiration') > 0
      ? { ssl_monitoring: { enabled: true, expiry_warning_days: [expiry('ssl_expiration')] } } : {}),
    ...(expiry('domain_expiration') > 0
      ? { domain_monitoring: { enabled: true, expiry_warning_days: [expiry('domain_expiration')] } } : {}),
  };
}

function addHeartbeat(heartbeat: Fields, groups: ReadonlyMap<string, string>, into: Conversion): void {
  const notes = ['Its jobs report to another address in Farwatch: /api/heartbeat/ and its token.'];
  if (textOf(heartbeat['policy_id']) !== '') notes.push('It does not name its escalation policy.');
  into.addMonitor({
    name: textOf(heartbeat['name']), type: 'HEARTBEAT',
    heartbeat_interval: numberOf(heartbeat['period']) ?? undefined, grace_period: numberOf(heartbeat['grace']) || 1,
    heartbeat_token: textOf(heartbeat['url']).replace(/\/+$/, '').split('/').at(-1) || undefined,
    ...groupOf(heartbeat['heartbeat_group_id'], 'heartbeat_group', groups, notes),
    ...(isPaused(heartbeat) ? { status: 'paused' } : {}),
  }, notes);
}

function groupOf(
  id: unknown, type: string, groups: ReadonlyMap<string, string>, notes: string[],
): { group?: string } {
  if (textOf(id) === '') return {};
  const group = groups.get(`${type} ${textOf(id)}`);
  if (group === undefined) notes.push(`It is in no group, because the file lacks group ${textOf(id)}.`);
  return group === undefined ? {} : { group };
}

function isPaused(item: Fields): boolean {
  return isTrue(item['paused']) || textOf(item['paused_at']) !== '' || item['status'] === 'paused';
}
