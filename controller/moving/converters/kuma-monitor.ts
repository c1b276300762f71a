import { joinHostPort } from '../../monitors/target.ts';
import type { Draft } from '../fit-monitor.ts';
import { fieldsOf, isTrue, jsonOf, listOf, numberOf, textOf, textsOf, type Fields } from '../loose.ts';
import { expectedStatus } from './expected-status.ts';
import { simpleJsonPath } from './json-path-text.ts';
import type { KumaFile } from './kuma-file.ts';

type OwnFields = Partial<Draft> & Pick<Draft, 'type'>;
type Days = Pick<KumaFile, 'certificateDays' | 'domainDays'>;

/** Kuma waits this part of the interval by default. */
const DEFAULT_TIMEOUT = 0.8;
/** Kuma's tolerance for late pushes, s. */
const PUSH_BUFFER_S = 1;
const HTTP_TYPES = ['http', 'keyword', 'json-query'];
const COMPARISONS: Readonly<Record<string, 'equals' | 'not_equals' | 'greater_than' | 'less_than' | 'contains'>> = {
  '==': 'equals', '!=': 'not_equals', '>': 'greater_than', '<': 'less_than', contains: 'contains',
};
const SMTP_TLS: Readonly<Record<string, 'implicit' | 'starttls' | 'none'>> = {
  secure: 'implicit', starttls: 'starttls', nostarttls: 'none',
};
const BODY_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json', xml: 'text/xml; charset=utf-8', form: 'application/x-www-form-urlencoded',
};

/** The settings of a monitor's type; null for a type that Farwatch lacks. Notes what is lost. */
export function kumaSettings(row: Fields, days: Days, notes: string[]): OwnFields | null {
  const type = textOf(row['type']);
  const hostname = textOf(row['hostname']);
  const port = numberOf(row['port']) ?? undefined;
  const address = port === undefined ? hostname : joinHostPort(hostname, port);
  if (HTTP_TYPES.includes(type)) return httpSettings(row, days, notes);
  switch (type) {
    case 'port': return { type: 'TCP', target: address, tcp_config: { protocol: 'generic', tls: 'none' } };
    case 'smtp': {
      const tls = SMTP_TLS[textOf(row['smtp_security'])] ?? 'none';
      return { type: 'TCP', target: address, tcp_config: { protocol: 'smtp', tls } };
    }
    case 'ping': return pingSettings(row, hostname);
    case 'dns': return dnsSettings(row, notes);
    case 'push': return pushSettings(row, notes);
    default: return null;
  }
}

function httpSettings(row: Fields, days: Days, notes: string[]): OwnFields {
  const interval = numberOf(row['interval']) ?? 60;
  const target = textOf(row['url']);
  const redirects = numberOf(row['maxredirects']) ?? 10;
  const method = textOf(row['method']).toUpperCase();
  const body = typeof row['body'] === 'string' && row['body'].trim() !== '' ? row['body'] : undefined;
  const family = textOf(row['ip_family']);
  const statuses = listOf(jsonOf(row['accepted_statuscodes_json'])).map(textOf);
  if (isTrue(row['cache_bust'])) notes.push('No random parameter is added to the address.');
  return {
    type: 'HTTP', target, method: (method || 'GET') as 'GET',
    timeout_ms: Math.round((numberOf(row['timeout']) || interval * DEFAULT_TIMEOUT) * 1000),
    ...(body === undefined ? {} : { body }),
    headers: headersOf(row, body !== undefined, notes),
    follow_redirects: redirects > 0, max_redirects: Math.min(10, Math.max(0, redirects)),
    verify_ssl: !isTrue(row['ignore_tls']),
    ...expectedStatus(statuses, notes),
    ...authOf(row, notes),
    ...(family === 'ipv4' || family === 'ipv6' ? { ip_family: family } : {}),
    ...(isTrue(row['expiry_notification']) && !isTrue(row['ignore_tls']) && /^https:/i.test(target)
      ? { ssl_monitoring: { enabled: true, expiry_warning_days: days.certificateDays } } : {}),
    ...(isTrue(row['domain_expiry_notification'])
      ? { domain_monitoring: { enabled: true, expiry_warning_days: days.domainDays } } : {}),
    ...contentOf(row, notes),
  };
}

function headersOf(row: Fields, hasBody: boolean, notes: string[]): Record<string, string> {
  const sent = jsonOf(row['headers']);
  if (sent === undefined && textOf(row['headers']) !== '') notes.push('Its headers are not valid JSON.');
  const headers = textsOf(sent);
  const type = BODY_TYPES[textOf(row['http_body_encoding']) || 'json'];
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return hasBody && !isTyped && type !== undefined ? { 'Content-Type': type, ...headers } : headers;
}

function authOf(row: Fields, notes: string[]): Partial<Draft> {
  const [method, username] = [textOf(row['auth_method']), textOf(row['basic_auth_user'])];
  if (method === 'basic' || (method === '' && username !== '')) {
    return { auth: { type: 'basic', username, password: typeof row['basic_auth_pass'] === 'string' ? row['basic_auth_pass'] : '' } };
  }
  if (method === '' || method === 'none') return {};
  notes.push(`It is paused, because Farwatch does not sign in with ${method}.`);
  return { status: 'paused' };
}

/** What the body must contain. */
function contentOf(row: Fields, notes: string[]): Partial<Draft> & Partial<Pick<Draft, 'type'>> {
  const type = textOf(row['type']);
  const text = typeof row['keyword'] === 'string' ? row['keyword'] : '';
  if (type === 'keyword') {
    const keywords = [{ text, should_contain: !isTrue(row['invert_keyword']) }];
    return { type: 'KEYWORD', keywords, match_mode: 'all', case_sensitive: true };
  }
  if (type !== 'json-query') return {};
  const [sent, expected] = [textOf(row['json_path']), textOf(row['expected_value'])];
  const comparison = COMPARISONS[textOf(row['json_path_operator']) || '=='];
  const path = simpleJsonPath(sent);
  if (path === null || comparison === undefined) {
    notes.push(`The body is not checked, because Farwatch has no query like ${sent} ${textOf(row['json_path_operator'])}.`);
    return {};
  }
  return { assertions: [path === '$'
    ? { source: 'body', comparison, target: expected }
    : { source: 'json', property: path, comparison, target: expected }] };
}

function pingSettings(row: Fields, target: string): OwnFields {
  const [size, count] = [numberOf(row['packet_size']), numberOf(row['ping_count'])];
  return { type: 'ICMP', target, icmp_config: {
    ...(size === null ? {} : { packet_size: Math.min(1400, Math.max(0, size)) }),
    ...(count === null ? {} : { packet_count: Math.min(10, Math.max(1, count)) }),
  } };
}

function dnsSettings(row: Fields, notes: string[]): OwnFields {
  const [server = '', ...others] = textOf(row['dns_resolve_server']).split(',').map((one) => one.trim());
  const port = numberOf(row['port']) ?? 53;
  if (others.length > 0) notes.push(`Only its first name server is asked, not ${others.join(', ')}.`);
  const conditions = listOf(jsonOf(row['conditions'])).map(fieldsOf);
  const values = conditions.flatMap(({ variable, operator, value, andOr }, at) =>
    (variable === 'record' && operator === 'equals' && (at === 0 || andOr !== 'or') ? textOf(value) : []));
  if (values.length < conditions.length) notes.push('Some of its conditions have no counterpart, and are not checked.');
  return { type: 'DNS', target: textOf(row['hostname']), dns_config: {
    record_entries: [{
      type: (textOf(row['dns_resolve_type']) || 'A') as 'A', ...(values.length > 0 ? { expected_values: values } : {}),
    }],
    dns_server: server === '' ? null : port === 53 ? server : joinHostPort(server, port),
  } };
}

function pushSettings(row: Fields, notes: string[]): OwnFields {
  const interval = numberOf(row['interval']) ?? 60;
  const retries = numberOf(row['maxretries']) ?? 0;
  const wait = numberOf(row['retry_interval']) || interval;
  if (isTrue(row['upside_down'])) notes.push('A heartbeat cannot be upside down: it is up while pushes arrive.');
  return {
    type: 'HEARTBEAT', heartbeat_interval: interval, grace_period: retries * wait + PUSH_BUFFER_S,
    heartbeat_token: textOf(row['push_token']) || undefined,
  };
}
