import type { Conversion } from '../conversion.ts';
import type { Converter, Source } from '../converter.ts';
import type { Draft } from '../fit-monitor.ts';
import { fieldsOf, isTrue, listOf, numberOf, rowsOf, textOf, textsOf, type Fields } from '../loose.ts';
import { durationMs, durationSeconds } from './duration.ts';
import { conditionSettings } from './gatus-conditions.ts';

const DEFAULT_INTERVAL_S = 60;
const SUITE_INTERVAL_S = 600;
const FAILURE_THRESHOLD = 3;
const SUCCESS_THRESHOLD = 2;
const VARIABLE = /\$\{?[A-Z_][A-Z0-9_]*\}?/;

/** Configurations of Gatus, in one or more YAML documents. */
export const gatus: Converter = {
  title: 'a configuration of Gatus',
  recognizes: (source) => endpointsIn(source).length > 0,
  convert: (source, into) => {
    for (const config of documentsOf(source)) {
      const { alerting, maintenance } = config;
      for (const endpoint of [...rowsOf(config['endpoints']), ...rowsOf(config['services'])]) {
        addEndpoint(endpoint, { alerting: fieldsOf(alerting) }, into);
      }
      for (const endpoint of rowsOf(config['external-endpoints'])) addExternal(endpoint, fieldsOf(alerting), into);
      for (const suite of rowsOf(config['suites'])) addSuite(suite, fieldsOf(alerting), into);
      for (const type of Object.keys(fieldsOf(alerting))) {
        into.skip(`alerting.${type}`, 'The document has no destinations yet. Add one in Farwatch.');
      }
      if (maintenance !== undefined) {
        into.skip('maintenance', 'The document has no maintenance windows yet. Add it in Farwatch.');
      }
    }
  },
};

function documentsOf(source: Source): Fields[] {
  const documents = source.kind === 'yaml' ? source.documents : source.kind === 'json' ? [source.value] : [];
  return documents.map(fieldsOf);
}

function endpointsIn(source: Source): Fields[] {
  return documentsOf(source).flatMap((config) => [
    ...[...rowsOf(config['endpoints']), ...rowsOf(config['services'])].filter((one) => 'url' in one && 'conditions' in one),
    ...rowsOf(config['external-endpoints']).filter((one) => 'token' in one),
    ...rowsOf(config['suites']).filter((one) => Array.isArray(one['endpoints'])),
  ]);
}

interface Place {
  alerting: Fields;
  group?: string;
  /** Of the suite that it is a step of. */
  intervalSeconds?: number;
  isPaused?: boolean;
}

function addEndpoint(endpoint: Fields, place: Place, into: Conversion): void {
  const name = textOf(endpoint['name']);
  const notes: string[] = place.intervalSeconds === undefined ? [] : ['The steps of its suite run independently of each other.'];
  const settings = settingsOf(endpoint, notes);
  if (settings === null) {
    into.skip(name, `Farwatch has no check of ${textOf(endpoint['url']) || 'an endpoint without address'}.`);
    return;
  }
  const group = place.group ?? groupOf(endpoint, into);
  const labels = Object.entries(textsOf(endpoint['extra-labels'])).map(([label, value]) => `${label}:${value}`);
  if (VARIABLE.test(JSON.stringify(endpoint))) {
    notes.push('It contains variables of the environment, which are not replaced.');
  }
  if ('maintenance-windows' in endpoint) notes.push('Its maintenance windows are left out.');
  into.addMonitor({
    name, interval_seconds: place.intervalSeconds ?? durationSeconds(endpoint['interval']) ?? DEFAULT_INTERVAL_S,
    ...(group === undefined ? {} : { group }), ...(labels.length > 0 ? { tags: labels } : {}),
    ...alertSettings(endpoint, place.alerting, notes), ...settings,
    ...(place.isPaused === true || endpoint['enabled'] === false ? { status: 'paused' } : {}),
  }, notes);
}

function groupOf(item: Fields, into: Conversion, parent?: string): string | undefined {
  const name = textOf(item['group']);
  return name === '' ? undefined : into.shareGroup(name, parent);
}

function settingsOf(endpoint: Fields, notes: string[]): (Partial<Draft> & Pick<Draft, 'type'>) | null {
  const url = textOf(endpoint['url']);
  const dns = fieldsOf(endpoint['dns']);
  const client = fieldsOf(endpoint['client']);
  const base = basicSettings(endpoint, url, dns);
  if (base === null) return null;
  const conditions = conditionSettings(listOf(endpoint['conditions']).map(textOf), base.type, notes);
  const timeout = durationMs(client['timeout']);
  const { record_entries: expected, ...rest } = conditions;
  const records = expected?.map((entry) => ({ ...entry, type: textOf(dns['query-type']) as 'A' }));
  return {
    ...base, ...(records === undefined ? {} : { record_entries: records }), ...rest,
    ...(timeout === null ? {} : { timeout_ms: timeout }),
    ...clientSettings(endpoint, client, base.type, notes),
  };
}

function basicSettings(endpoint: Fields, url: string, dns: Fields): (Partial<Draft> & Pick<Draft, 'type'>) | null {
  if (textOf(dns['query-name']) !== '') {
    return {
      type: 'DNS', target: textOf(dns['query-name']).replace(/\.$/, ''), dns_server: url.replace(/^\w+:\/\//, ''),
      record_entries: [{ type: (textOf(dns['query-type']) || 'A') as 'A' }],
    };
  }
  const [scheme = '', rest = ''] = url.split(/:\/\/(.*)/s);
  const target = rest.replace(/\/$/, '');
  switch (scheme.toLowerCase()) {
    case 'http': case 'https': return requestSettings(endpoint, url);
    case 'tcp': return { type: 'TCP', target, protocol: 'generic', tls: 'none' };
    case 'tls': return { type: 'TCP', target, protocol: 'generic', tls: 'implicit' };
    case 'starttls': return { type: 'TCP', target, protocol: 'smtp', tls: 'starttls' };
    case 'ssh': return { type: 'TCP', target: target.includes(':') ? target : `${target}:22`, protocol: 'ssh' };
    case 'icmp': return { type: 'ICMP', target };
    default: return null;
  }
}

function requestSettings(endpoint: Fields, url: string): Partial<Draft> & Pick<Draft, 'type'> {
  const body = typeof endpoint['body'] === 'string' ? endpoint['body'] : '';
  const headers = textsOf(endpoint['headers']);
  const isGraphql = isTrue(endpoint['graphql']);
  const sent = isGraphql ? JSON.stringify({ query: body }) : body;
  return {
    type: 'HTTP', target: url,
    method: (textOf(endpoint['method']).toUpperCase() || 'GET') as 'GET',
    headers: isGraphql ? { 'Content-Type': 'application/json', ...headers } : headers,
    ...(sent === '' ? {} : { body: sent }),
  };
}

/** Settings of the client that have no counterpart for a type are noted. */
function clientSettings(endpoint: Fields, client: Fields, type: Draft['type'], notes: string[]): Partial<Draft> {
  const settings: Partial<Draft> = {};
  const isRequest = type === 'HTTP';
  if (isTrue(client['insecure']) && isRequest) settings.verify_ssl = false;
  if (isTrue(client['ignore-redirect']) && isRequest) settings.follow_redirects = false;
  for (const name of ['dns-resolver', 'proxy-url', 'tls', 'network']) {
    if (name in client) notes.push(`client.${name} is left out.`);
  }
  const needed = ['oauth2', 'identity-aware-proxy', 'tunnel'].filter((name) => name in client);
  if (needed.length > 0) {
    settings.status = 'paused';
    notes.push(`It is paused, because Farwatch has no counterpart of client.${needed.join(' and client.')}.`);
  }
  if (textOf(fieldsOf(endpoint['ssh'])['username']) !== '') notes.push('It only checks that the server speaks SSH, and does not sign in.');
  return settings;
}

/** Consecutive failures before an alert become rechecks. */
function alertSettings(endpoint: Fields, alerting: Fields, notes: string[]): Partial<Draft> {
  const alerts = rowsOf(endpoint['alerts']).filter(({ enabled }) => enabled !== false);
  const [first] = alerts;
  if (first === undefined) return {};
  const types = [...new Set(alerts.map(({ type }) => textOf(type)))];
  notes.push(`It does not name its destinations: ${types.join(', ')}.`);
  const defaults = fieldsOf(fieldsOf(alerting[textOf(first['type'])])['default-alert']);
  const threshold = (name: string, fallback: number) =>
    numberOf(first[name]) ?? numberOf(defaults[name]) ?? fallback;
  return { confirmation_policy: {
    retries: Math.max(0, threshold('failure-threshold', FAILURE_THRESHOLD) - 1),
    recoveries: Math.min(10, Math.max(0, threshold('success-threshold', SUCCESS_THRESHOLD) - 1)),
  } };
}

function addExternal(endpoint: Fields, alerting: Fields, into: Conversion): void {
  const name = textOf(endpoint['name']);
  const interval = durationSeconds(fieldsOf(endpoint['heartbeat'])['interval']);
  if (interval === null || interval === 0) {
    into.skip(name, 'It has no heartbeat.interval, and a heartbeat needs one.');
    return;
  }
  const notes = ['Its jobs report to another address in Farwatch: /api/heartbeat/ and its token.'];
  const group = groupOf(endpoint, into);
  // Only for the note: a heartbeat has no rechecks.
  alertSettings(endpoint, alerting, notes);
  into.addMonitor({
    name, type: 'HEARTBEAT', heartbeat_interval: interval, grace_period: 1,
    heartbeat_token: textOf(endpoint['token']) || undefined,
    ...(group === undefined ? {} : { group }), ...(endpoint['enabled'] === false ? { status: 'paused' } : {}),
  }, notes);
}

/** The steps that need no value of an earlier one. */
function addSuite(suite: Fields, alerting: Fields, into: Conversion): void {
  const group = into.shareGroup(textOf(suite['name']) || 'Suite', groupOf(suite, into));
  const intervalSeconds = durationSeconds(suite['interval']) ?? SUITE_INTERVAL_S;
  for (const step of rowsOf(suite['endpoints'])) {
    if (JSON.stringify(step).includes('[CONTEXT]')) {
      into.skip(textOf(step['name']), 'It needs a value of an earlier step of its suite.');
    } else addEndpoint(step, { alerting, group, intervalSeconds, isPaused: suite['enabled'] === false }, into);
  }
}
