import type { AlertDetails, Together } from './alert.ts';

/** Joins lines, so that text from a target cannot start a new one. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Truncates to `maxLength` UTF-16 units without splitting a surrogate pair. */
export function clip(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Formats Unix ms as `2026-03-01 03:14:15 UTC`. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats a duration in its two largest units: `4 min 12 s`, `2 h 3 min`, `1 d 4 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const largest = units.findIndex(([count]) => count > 0);
  if (largest === -1) return '0 s';
  const shown = units.slice(largest, largest + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** Formats a response time as `240 ms` or `2.3 s`. */
export function responseTimeText(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

/** Removes secrets from the target: the token of a heartbeat, or credentials in a URL. */
export function redactedTarget({ target, type }: { target: string; type: string }): string {
  if (type === 'HEARTBEAT') return `${target.slice(0, 4)}…`;
  return target.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

/** An alert for people, the same on every channel. Each text is one plain line, not yet escaped. */
export interface AlertContent {
  /**
   * For example `[DOWN] Shop — HTTP 503`. The mark comes first, so that messages of one kind sort together.
   */
  subject: string;
  /** The subject, and where an outage comes from: for channels that show no headline. */
  brief: string;
  /** What happened, and where an outage comes from if that is known. */
  headline: string;
  facts: { label: string; text: string }[];
  links: { label: string; url: string }[];
  tone: 'bad' | 'warning' | 'good';
}

const DAY_MS = 86_400_000;
const MAX_SUBJECT_LENGTH = 200;
const MAX_FACT_LENGTH = 1000;
const MAX_MESSAGE_LENGTH = 4000;

/** By event: the mark in the subject, the tone, and the predicate of the headline. */
const KINDS: Record<AlertDetails['event'], [string, AlertContent['tone'], string]> = {
  'monitor.down': ['DOWN', 'bad', 'is down'],
  'monitor.up': ['UP', 'good', 'is back up'],
  'monitor.slow_response': ['SLOW', 'warning', 'is responding slowly'],
  'monitor.slow_response_resolved': ['OK', 'good', 'is responding normally again'],
  'monitor.ssl_expiring': ['TLS', 'warning', 'has a certificate that expires soon'],
  'monitor.region_degraded': ['REGION', 'warning', 'is down in one region but up in the others'],
  'monitor.no_data': ['NO DATA', 'warning', 'has no data: no region is reporting, so its state is unknown'],
  'monitor.no_data_resolved': ['DATA BACK', 'good', 'has data again'],
  'monitor.domain_expiring': ['DOMAIN', 'warning', 'has a domain registration that expires soon'],
  'probe.offline': ['PROBE OFFLINE', 'bad', 'is offline'],
  'probe.online': ['PROBE ONLINE', 'good', 'is back online'],
  'probe.quarantined': ['QUARANTINE', 'bad', 'is quarantined: its results do not count'],
  'probe.released': ['RELEASED', 'good', 'is no longer quarantined'],
  'incident.acknowledged': ['ACKNOWLEDGED', 'warning', 'has an incident that was acknowledged'],
  'incident.resolved': ['RESOLVED', 'good', 'has an incident that was resolved manually'],
};

/** `baseUrl` is the public URL of the API, without a trailing slash. */
export function alertContent(alert: AlertDetails, baseUrl: string): AlertContent {
  if (alert.together) return togetherContent(alert, alert.together, baseUrl);
  const [mark, tone, statement] = KINDS[alert.event];
  const name = (alert.monitor ?? alert.probe)?.name ?? '';
  const durationMs = outageMs(alert);
  const event = durationMs === null ? statement : `${statement} after ${durationText(durationMs)}`;
  const expiry = expiryText(alert);
  const found = expiry === null ? alert.problem?.message : `the ${expiry}`;
  const why = expiry ?? alert.problem?.message ?? shortError(alert.error) ?? alert.probe?.reason;
  const summary = durationMs === null ? (why ?? statement) : event;
  const subject = clip(
    oneLine(`[${alert.reminder ? `STILL ${mark}` : mark}] ${name} — ${summary}`), MAX_SUBJECT_LENGTH,
  );
  const diagnosis = diagnosisText(alert);
  const headline = `${name}${found === undefined ? ` ${event}` : `: ${found}`}.${diagnosis}`;
  return {
    subject,
    brief: clip(oneLine(diagnosis === '' ? subject : `${subject}.${diagnosis}`), MAX_FACT_LENGTH),
    headline: clip(oneLine(headline), MAX_FACT_LENGTH),
    facts: factsOf(alert).map(({ label, text }) => ({ label, text: clip(oneLine(text), MAX_FACT_LENGTH) })),
    links: linksOf(alert, baseUrl),
    tone,
  };
}

/** Where an outage comes from, in the first line of its message; empty if that is unknown. */
function diagnosisText({ event, incident }: AlertDetails): string {
  const { classification = 'unknown', summary } = incident?.diagnosis ?? {};
  return event === 'monitor.down' && classification !== 'unknown' ? ` ${summary}` : '';
}

/** By kind: what monitors with a common cause are. */
const SHARED: Record<Together['kind'], (name: string) => string> = {
  dependency: (name) => `monitors that depend on ${name}`,
  address: (name) => `monitors behind ${name}`,
  network: (name) => `monitors in the network ${name}`,
  name_server: (name) => `monitors that use the DNS server ${name}`,
  certificate: (name) => `monitors with the certificate ${name}`,
  region: (name) => `monitors checked from ${name}`,
  group: (name) => `monitors in the group ${name}`,
};

/** For example `12 monitors behind 192.0.2.7 are down`. */
function togetherContent(alert: AlertDetails, together: Together, baseUrl: string): AlertContent {
  const { incident, error } = alert;
  const { kind, name, monitors, count, recovered } = together;
  const [mark, tone] = KINDS[alert.event];
  const durationMs = outageMs(alert);
  const who = `${recovered > 0 && durationMs === null ? `${count - recovered} of ` : ''}${count} ${SHARED[kind](name)}`;
  const statement = durationMs === null ? 'are down' : `are back up after ${durationText(durationMs)}`;
  const facts: AlertContent['facts'] = [{ label: 'Monitors', text: listText(monitors, count) }];
  if (error) facts.push({ label: 'First error', text: `${error.message} (${error.type})` });
  if (incident) facts.push({ label: durationMs === null ? 'Since' : 'Started', text: utc(incident.started_at) });
  if (typeof incident?.resolved_at === 'number') facts.push({ label: 'Recovered', text: utc(incident.resolved_at) });
  const subject = clip(oneLine(`[${mark}] ${who} ${statement}`), MAX_SUBJECT_LENGTH);
  return {
    subject, brief: subject,
    headline: clip(oneLine(`${who} ${statement}.`), MAX_FACT_LENGTH),
    facts: facts.map(({ label, text }) => ({ label, text: clip(oneLine(text), MAX_FACT_LENGTH) })),
    links: linksOf({ ...alert, monitor: null }, baseUrl),
    tone,
  };
}

function listText(names: readonly string[], count: number): string {
  const more = count - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

/** Plain text with one line per item. */
export function plainText({ headline, facts, links }: AlertContent): string {
  const items = [...facts, ...links.map(({ label, url }) => ({ label, text: url }))];
  return clip([headline, ...items.map(({ label, text }) => `${label}: ${text}`)].join('\n'), MAX_MESSAGE_LENGTH);
}

function factsOf(alert: AlertDetails): AlertContent['facts'] {
  const { monitor, probe, error, severity, incident, regions, votes, expiry, flapping, reopened, at } = alert;
  const isOver = outageMs(alert) !== null;
  const facts: AlertContent['facts'] = [];
  const add = (label: string, text: string) => void facts.push({ label, text });
  if (monitor) add('Target', `${redactedTarget(monitor)} (${monitor.type})`);
  if (probe?.reason) add('Reason', probe.reason);
  if (error) add('Error', `${error.message} (${error.type})`);
  if (severity && !isOver) add('Severity', severity);
  if (regions.length > 0) add('Regions', regions.map(regionText).join(', '));
  if (votes) add('Votes', votesText(votes));
  if (incident) add(isOver ? 'Started' : 'Since', utc(incident.started_at));
  else add('Time', utc(at));
  if (probe) add(probe.reason === null ? 'Started' : 'Since', utc(probe.since));
  if (expiry) add(expiry.expires_at <= at ? 'Expired' : 'Expires', utc(expiry.expires_at));
  if (reopened) add('Still down', 'the previous incident was resolved manually, but the outage continues');
  if (flapping) add('Flapping', flappingText(flapping));
  if (isOver) add('Recovered', utc(incident?.resolved_at as number));
  else if (alert.last_success) add('Last successful check', lastGoodText(alert.last_success));
  return facts;
}

/** For example `certificate expires on 2026-03-08, in 7 days`, counted from the alert. */
function expiryText({ event, expiry, at }: AlertDetails): string | null {
  if (!expiry) return null;
  const subject = event === 'monitor.domain_expiring' ? 'domain registration' : 'certificate';
  const day = utc(expiry.expires_at).slice(0, 10);
  const leftMs = expiry.expires_at - at;
  if (leftMs <= 0) return `${subject} expired on ${day}`;
  const left = leftMs < 2 * DAY_MS ? durationText(leftMs) : `${Math.round(leftMs / DAY_MS)} days`;
  return `${subject} expires on ${day}, in ${left}`;
}

function flappingText({ downs, window_ms }: NonNullable<AlertDetails['flapping']>): string {
  return `down ${downs} times in ${durationText(window_ms)}; further alerts are held until it is stable`;
}

/** Includes the response time, to tell a sudden failure from a gradual slowdown. */
function lastGoodText({ at, response_time_ms }: NonNullable<AlertDetails['last_success']>): string {
  return response_time_ms === null ? utc(at) : `${utc(at)}, in ${responseTimeText(response_time_ms)}`;
}

/** For example `down in 2 of 3 regions: Paris, Dallas; up in Osaka`. */
function votesText({ down, up, rechecking, silent }: NonNullable<AlertDetails['votes']>): string {
  const names = (regions: AlertDetails['regions']) => regions.map(regionText).join(', ');
  const reporting = down.length + up.length + rechecking.length;
  const parts = [`down in ${down.length} of ${reporting} ${reporting === 1 ? 'region' : 'regions'}: ${names(down)}`];
  if (up.length > 0) parts.push(`up in ${names(up)}`);
  if (rechecking.length > 0) parts.push(`rechecking in ${names(rechecking)}`);
  if (silent.length > 0) parts.push(`no results from ${names(silent)}`);
  return parts.join('; ');
}

function regionText({ id, name, city }: AlertDetails['regions'][number]): string {
  const label = name === '' ? id : name;
  return city && !label.includes(city) ? `${label} (${city})` : label;
}

function linksOf({ incident, monitor, probe }: AlertDetails, baseUrl: string): AlertContent['links'] {
  const link = (label: string, path: string) => ({ label, url: `${baseUrl}/api/${path}` });
  return [
    ...(incident?.acknowledge_url ? [{ label: 'Acknowledge', url: incident.acknowledge_url }] : []),
    ...(incident ? [link('Incident', `incidents/${incident.id}`)] : []),
    ...(monitor ? [link('Monitor', `monitors/${monitor.id}`)] : []),
    ...(monitor?.runbook_url ? [{ label: 'Runbook', url: monitor.runbook_url }] : []),
    ...(probe ? [link('Probe', `probes/${probe.id}`)] : []),
  ];
}

/** Shortens `Expected 200, got 503` to `HTTP 503` for subjects. */
function shortError(error: AlertDetails['error']): string | null {
  const status = error?.type === 'status_code' ? /\bgot (\d{3})\b/.exec(error.message)?.[1] : undefined;
  return status === undefined ? (error?.message ?? null) : `HTTP ${status}`;
}

/** Duration of the outage for recovery alerts; null for all others. */
function outageMs({ event, incident }: AlertDetails): number | null {
  if (event !== 'monitor.up' && event !== 'monitor.slow_response_resolved') return null;
  return typeof incident?.resolved_at === 'number' ? incident.resolved_at - incident.started_at : null;
}
