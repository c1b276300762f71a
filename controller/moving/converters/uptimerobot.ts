import type { Conversion } from '../conversion.ts';
import type { Converter, Source } from '../converter.ts';
import type { Draft } from '../fit-monitor.ts';
import { fieldsOf, isTrue, jsonOf, listOf, numberOf, rowsOf, textOf, textsOf, type Fields } from '../loose.ts';
import { joinHostPort } from '../../monitors/target.ts';
import { acceptedCodes, expectedStatus } from './expected-status.ts';
import { simpleJsonPath } from './json-path-text.ts';
import { RobotContacts } from './uptimerobot-contacts.ts';

/** Names of what version 2 of its API has numbers for. */
const TYPES = ['', 'HTTP', 'KEYWORD', 'PING', 'PORT', 'HEARTBEAT'];
const METHODS = ['', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Ports of the services that a port monitor can name, by number. */
const PORTS: Readonly<Record<number, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': `'` };
const COMPARISONS = {
  equals: 'equals', not_equals: 'not_equals', contains: 'contains', not_contains: 'not_contains',
  greater_than: 'greater_than', less_than: 'less_than', is_null: 'absent', is_not_null: 'exists',
} as const;
const DNS_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SOA', 'SRV', 'PTR'];

/** UptimeRobot: responses of `getMonitors` of version 2 of its API, or of `/monitors` of version 3. */
export const uptimerobot: Converter = {
  title: 'a list of monitors of UptimeRobot',
  recognizes: (source) => monitorsOf(source).length > 0,
  convert: (source, into) => {
    const contacts = new RobotContacts();
    for (const monitor of monitorsOf(source)) addMonitor(unified(monitor), contacts, into);
    contacts.finish(into);
  },
};

/** The monitors of one page, of a list of pages, or of a plain list. */
function monitorsOf(source: Source): Fields[] {
  if (source.kind !== 'json') return [];
  const pages = Array.isArray(source.value) ? source.value : [source.value];
  return pages.map(fieldsOf).flatMap((page) => {
    if (Array.isArray(page['monitors'])) return rowsOf(page['monitors']);
    return Array.isArray(page['data']) ? rowsOf(page['data']) : [page];
  }).filter((one) => 'friendly_name' in one || 'friendlyName' in one);
}

/** A monitor with the names of version 3. */
function unified(monitor: Fields): Fields {
  if ('friendlyName' in monitor) return monitor;
  const number = (name: string) => numberOf(monitor[name]) ?? 0;
  const statuses = customStatuses(monitor['custom_http_statuses']);
  return {
    friendlyName: monitor['friendly_name'], url: monitor['url'], type: TYPES[number('type')] ?? '',
    status: number('status') === 0 && 'status' in monitor ? 'PAUSED' : 'UP',
    interval: monitor['interval'], timeout: monitor['timeout'],
    port: numberOf(monitor['port']) ?? PORTS[number('sub_type')],
    keywordType: number('keyword_type') === 1 ? 'ALERT_EXISTS' : 'ALERT_NOT_EXISTS',
    keywordCaseType: monitor['keyword_case_type'], keywordValue: monitor['keyword_value'],
    httpMethodType: METHODS[number('http_method')] ?? '', httpUsername: monitor['http_username'],
    httpPassword: monitor['http_password'], authType: number('http_auth_type') === 2 ? 'DIGEST' : 'HTTP_BASIC',
    postValueType: number('post_type') === 1 ? 'KEY_VALUE' : 'RAW',
    postValueData: jsonOf(monitor['post_value']) ?? monitor['post_value'],
    customHttpHeaders: monitor['custom_http_headers'], checkSSLErrors: !isTrue(monitor['ignore_ssl_errors']),
    assignedAlertContacts: monitor['alert_contacts'], maintenanceWindows: monitor['mwindows'],
    tags: monitor['tags'], statuses,
  };
}

/** `404:0_200:1`: codes that mean down and up. Null if there are none. */
function customStatuses(value: unknown): Map<number, boolean> | null {
  const pairs = textOf(value).split('_').map((pair) => pair.split(':').map(Number) as [number, number]);
  const known = pairs.filter(([code, means]) => Number.isInteger(code) && Number.isInteger(means));
  return known.length === 0 ? null : new Map(known.map(([code, means]) => [code, means === 1]));
}

function addMonitor(monitor: Fields, contacts: RobotContacts, into: Conversion): void {
  const name = textOf(monitor['friendlyName'])
    .replace(/&(amp|lt|gt|quot|#39);/g, (_all, entity: string) => ENTITIES[entity] as string);
  const type = textOf(monitor['type']).toUpperCase();
  const notes: string[] = [];
  const settings = settingsOf(monitor, type, notes);
  if (settings === null) return into.skip(name, `Farwatch has no check of the type ${type || 'unknown'}.`);
  const timeout = numberOf(monitor['timeout']);
  const tags = listOf(monitor['tags']).map((tag) => textOf(tag) || textOf(fieldsOf(tag)['name']));
  const destinations = contacts.destinationsOf(monitor, into, notes);
  if ((numberOf(monitor['groupId']) ?? 0) > 0) {
    notes.push('It is in no group, because the list only has the number of its group.');
  }
  const added = into.addMonitor({
    name, ...(destinations.length > 0 ? { destinations } : {}),
    ...(settings.type === 'HEARTBEAT' ? {} : {
      interval_seconds: numberOf(monitor['interval']) ?? 300,
      ...(timeout === null || timeout === 0 ? {} : { timeout_ms: timeout * 1000 }),
    }),
    ...(tags.length > 0 ? { tags } : {}),
    ...settings, ...(textOf(monitor['status']).toUpperCase() === 'PAUSED' ? { status: 'paused' } : {}),
  }, notes);
  if (added !== null) contacts.addWindowsOf(monitor, added.name);
}

function settingsOf(monitor: Fields, type: string, notes: string[]): (Partial<Draft> & Pick<Draft, 'type'>) | null {
  const url = textOf(monitor['url']);
  const host = url.replace(/^\w+:\/\//, '').replace(/\/.*$/s, '');
  switch (type) {
    case 'HTTP': return { type: 'HTTP', ...requestSettings(monitor, notes) };
    case 'API': return { type: 'HTTP', ...requestSettings(monitor, notes), ...assertionSettings(monitor, notes) };
    case 'KEYWORD': return { type: 'KEYWORD', ...requestSettings(monitor, notes), ...keywordSettings(monitor) };
    case 'PING': return { type: 'ICMP', target: host };
    case 'PORT': {
      const target = joinHostPort(host, numberOf(monitor['port']) ?? 80);
      return { type: 'TCP', target, protocol: 'generic', tls: 'none' };
    }
    case 'DNS': return { type: 'DNS', target: host, record_entries: recordsOf(monitor, notes) };
    case 'HEARTBEAT': {
      notes.push('Its jobs report to another address in Farwatch: /api/heartbeat/ and its token.');
      return {
        type: 'HEARTBEAT', heartbeat_interval: numberOf(monitor['interval']) ?? 300,
        grace_period: numberOf(monitor['gracePeriod']) || 60, heartbeat_token: url.split('/').at(-1) || undefined,
      };
    }
    default: return null;
  }
}

function requestSettings(monitor: Fields, notes: string[]): Partial<Draft> {
  const { ipVersion, sslExpirationPeriodDays } = fieldsOf(monitor['config']);
  const threshold = numberOf(monitor['responseTimeThreshold']) ?? 0;
  const days = listOf(sslExpirationPeriodDays).flatMap((day) => numberOf(day) || []);
  const warnings = days.length > 0 ? { expiry_warning_days: days } : {};
  const family = textOf(ipVersion);
  return {
    target: textOf(monitor['url']), method: (textOf(monitor['httpMethodType']).toUpperCase() || 'GET') as 'GET',
    ...statusSettings(monitor, notes), ...bodySettings(monitor), ...authSettings(monitor, notes),
    verify_ssl: monitor['checkSSLErrors'] !== false,
    ...(monitor['followRedirections'] === false ? { follow_redirects: false } : {}),
    ...(family === 'ipv4Only' ? { ip_family: 'ipv4' } : family === 'ipv6Only' ? { ip_family: 'ipv6' } : {}),
    ...(threshold > 0 ? { slow_response_threshold_ms: threshold } : {}),
    ...(isTrue(monitor['sslExpirationReminder']) ? { ssl_monitoring: { enabled: true, ...warnings } } : {}),
    ...(isTrue(monitor['domainExpirationReminder']) ? { domain_monitoring: { enabled: true } } : {}),
  };
}

/** By default, 2xx and 3xx mean up. */
function statusSettings({ statuses, successHttpResponseCodes }: Fields, notes: string[]): Partial<Draft> {
  const sent = listOf(successHttpResponseCodes).map(textOf);
  if (sent.length > 0) return expectedStatus(sent, notes);
  const own = statuses instanceof Map ? statuses as ReadonlyMap<number, boolean> : new Map<number, boolean>();
  return acceptedCodes((code) => own.get(code) ?? (code >= 200 && code < 400));
}

function bodySettings(monitor: Fields): Partial<Draft> {
  const { postValueData: data } = monitor;
  const headers = textsOf(monitor['customHttpHeaders']);
  const isForm = textOf(monitor['postValueType']) === 'KEY_VALUE';
  if (typeof data === 'string' ? data === '' : Object.keys(fieldsOf(data)).length === 0) return { headers };
  const body = typeof data === 'string' ? data
    : isForm ? new URLSearchParams(textsOf(data)).toString() : JSON.stringify(data);
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const needsType = !isTyped && (isForm || typeof data !== 'string');
  return { body, headers: needsType ? { 'Content-Type': type, ...headers } : headers };
}

function authSettings(monitor: Fields, notes: string[]): Partial<Draft> {
  const [username, password] = [textOf(monitor['httpUsername']), textOf(monitor['httpPassword'])];
  const type = textOf(monitor['authType']) || 'HTTP_BASIC';
  if (username === '' && password === '') return {};
  if (type === 'HTTP_BASIC' || type === 'NONE') return { auth: { type: 'basic', username, password } };
  if (type === 'BEARER') return { auth: { type: 'bearer', token: password } };
  notes.push(`It is paused, because Farwatch does not sign in with ${type}.`);
  return { status: 'paused' };
}

function keywordSettings(monitor: Fields): Partial<Draft> {
  const text = typeof monitor['keywordValue'] === 'string' ? monitor['keywordValue'] : '';
  const should_contain = textOf(monitor['keywordType']) !== 'ALERT_EXISTS';
  return {
    keywords: [{ text, should_contain }], match_mode: 'all', case_sensitive: numberOf(monitor['keywordCaseType']) === 0,
  };
}

function assertionSettings(monitor: Fields, notes: string[]): Partial<Draft> {
  const { logic, checks } = fieldsOf(fieldsOf(monitor['config'])['apiAssertions']);
  const sent = rowsOf(checks);
  const assertions = sent.flatMap(({ property, comparison, target }): NonNullable<Draft['assertions']> => {
    const path = simpleJsonPath(textOf(property));
    const name = COMPARISONS[textOf(comparison) as keyof typeof COMPARISONS];
    if (path === null || path === '$' || name === undefined) return [];
    const value = typeof target === 'boolean' ? String(target) : textOf(target);
    const compared = name === 'exists' || name === 'absent' ? {} : { target: value };
    return [{ source: 'json', property: path, comparison: name, ...compared }];
  });
  if (assertions.length < sent.length) notes.push('Some of its assertions have no counterpart, and are not checked.');
  if (textOf(logic).toUpperCase() === 'OR' && assertions.length > 1) {
    notes.push('None of its assertions are checked, because Farwatch requires all of them.');
    return {};
  }
  return assertions.length > 0 ? { assertions } : {};
}

function recordsOf(monitor: Fields, notes: string[]): NonNullable<Draft['record_entries']> {
  const records = Object.entries(fieldsOf(fieldsOf(monitor['config'])['dnsRecords']))
    .map(([type, values]) => ({ type, values: listOf(values).map(textOf) }))
    .filter(({ values }) => values.length > 0);
  const known = records.filter(({ type }) => DNS_TYPES.includes(type));
  if (known.length < records.length) notes.push('Some of its record types have no counterpart, and are not checked.');
  return known.length === 0 ? [{ type: 'A' }]
    : known.map(({ type, values }) => ({ type: type as 'A', expected_values: values, match: 'contains' }));
}
