import type { Conversion } from '../conversion.ts';
import type { Converter, Source } from '../converter.ts';
import type { Draft } from '../fit-monitor.ts';
import { fieldsOf, isTrue, listOf, numberOf, rowsOf, textOf, textsOf, type Fields } from '../loose.ts';
import { durationMs, durationSeconds } from './duration.ts';
import { addGatusProviders, noteVariables } from './gatus-alerting.ts';
import { conditionSettings } from './gatus-conditions.ts';
import { GatusMaintenance } from './gatus-maintenance.ts';

const DEFAULT_INTERVAL_S = 60;
const SUITE_INTERVAL_S = 600;
const FAILURE_THRESHOLD = 3;
const SUCCESS_THRESHOLD = 2;

/** Configurations of Gatus, in one or more YAML documents. */
export const gatus: Converter = {
  title: 'a configuration of Gatus',
  recognizes: (source) => endpointsIn(source).length > 0,
  convert: (source, into) => {
    const configs = documentsOf(source);
    // Gatus merges its files.
    const alerting = Object.assign({}, ...configs.map((config) => fieldsOf(config['alerting']))) as Fields;
    const providers = addGatusProviders(alerting, into);
    const place = { alerting, providers, maintenance: new GatusMaintenance() };
    for (const config of configs) {
      for (const endpoint of [...rowsOf(config['endpoints']), ...rowsOf(config['services'])]) {
        addEndpoint(endpoint, place, into);
      }
      for (const endpoint of rowsOf(config['external-endpoints'])) addExternal(endpoint, place, into);
      for (const suite of rowsOf(config['suites'])) addSuite(suite, place, into);
    }
    place.maintenance.finish(configs.find((config) => 'maintenance' in config)?.['maintenance'], into);
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
  /** Names of the destinations in the document, by type. */
  providers: ReadonlyMap<string, string>;
  maintenance: GatusMaintenance;
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
  noteVariables(endpoint, notes);
  const added = into.addMonitor({
    name, interval_seconds: place.intervalSeconds ?? durationSeconds(endpoint['interval']) ?? DEFAULT_INTERVAL_S,
    ...(group === undefined ? {} : { group }), ...(labels.length > 0 ? { tags: labels } : {}),
    ...alertSettings(endpoint, place, notes), ...settings,
    ...(place.isPaused === true || endpoint['enabled'] === false ? { status: 'paused' } : {}),
  }, notes);
  if (added !== null) place.maintenance.add(endpoint, added.name);
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

/** Whom it alerts. Consecutive failures before an alert become rechecks. */
function alertSettings(
  endpoint: Fields, { alerting, providers }: Place, notes: string[],
): Pick<Draft, 'destinations' | 'confirmation_policy'> {
  const alerts = rowsOf(endpoint['alerts']).filter(({ enabled }) => enabled !== false);
  const [first] = alerts;
  if (first === undefined) return {};
  const types = [...new Set(alerts.map(({ type }) => textOf(type)))];
  const lost = types.filter((type) => !providers.has(type));
  if (lost.length > 0) notes.push(`It does not alert ${lost.join(', ')}.`);
  const destinations = types.flatMap((type) => providers.get(type) ?? []);
  const defaults = fieldsOf(fieldsOf(alerting[textOf(first['type'])])['default-alert']);
  const threshold = (name: string, fallback: number) =>
    numberOf(first[name]) ?? numberOf(defaults[name]) ?? fallback;
  return { ...(destinations.length > 0 ? { destinations } : {}), confirmation_policy: {
    retries: Math.max(0, threshold('failure-threshold', FAILURE_THRESHOLD) - 1),
    recoveries: Math.min(10, Math.max(0, threshold('success-threshold', SUCCESS_THRESHOLD) - 1)),
  } };
}

function addExternal(endpoint: Fields, place: Place, into: Conversion): void {
  const name = textOf(endpoint['name']);
  const interval = durationSeconds(fieldsOf(endpoint['heartbeat'])['interval']);
  if (interval === null || interval === 0) {
    into.skip(name, 'It has no heartbeat.interval, and a heartbeat needs one.');
    return;
  }
  const notes = ['Its jobs report to another address in Farwatch: /api/heartbeat/ and its token.'];
  const group = groupOf(endpoint, into);
  // A heartbeat has no rechecks.
  const { destinations } = alertSettings(endpoint, place, notes);
  const added = into.addMonitor({
    name, type: 'HEARTBEAT', heartbeat_interval: interval, grace_period: 1,
    heartbeat_token: textOf(endpoint['token']) || undefined,
    ...(destinations === undefined ? {} : { destinations }),
    ...(group === undefined ? {} : { group }), ...(endpoint['enabled'] === false ? { status: 'paused' } : {}),
  }, notes);
  if (added !== null) place.maintenance.add(endpoint, added.name);
}

/** The steps that need no value of an earlier one. */
function addSuite(suite: Fields, place: Place, into: Conversion): void {
  const group = into.shareGroup(textOf(suite['name']) || 'Suite', groupOf(suite, into));
  const intervalSeconds = durationSeconds(suite['interval']) ?? SUITE_INTERVAL_S;
  for (const step of rowsOf(suite['endpoints'])) {
    if (JSON.stringify(step).includes('[CONTEXT]')) {
      into.skip(textOf(step['name']), 'It needs a value of an earlier step of its suite.');
    } else addEndpoint(step, { ...place, group, intervalSeconds, isPaused: suite['enabled'] === false }, into);
  }
}
