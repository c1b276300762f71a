import { parsedUrl } from '../../shared/net-guard.ts';
import type { MonitorItem } from '../import-export/schema.ts';
import { MAX_TAGS } from '../monitors/schema.ts';
import { FRAMING_HEADERS } from '../monitors/settings/header-rules.ts';
import { IMPORTED_TOKEN, MAX_GRACE_SECONDS, MAX_INTERVAL_SECONDS } from '../monitors/settings/heartbeat.ts';
import { withoutPlaceholders } from '../monitors/settings/placeholders.ts';

/** A monitor as a converter describes it, before it is made to fit the limits of Farwatch. */
export type Draft = Partial<MonitorItem> & Pick<MonitorItem, 'name' | 'type'>;

const MAX_NAME = 255;
const MAX_TAG = 50;
const MAX_RETRIES = 5;
const MIN_TIMEOUT_MS = 1000;
const MAX_TIMEOUT_MS = 60_000;
/** A document with such keys would be refused. */
const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype'];

/** The monitor within the limits of Farwatch, and a sentence for each thing that was changed. */
export function fitMonitor(draft: Draft, minIntervalSeconds: number): { monitor: Draft; notes: string[] } {
  const notes: string[] = [];
  const monitor = clean(draft) as Draft;
  monitor.name = fitName(monitor.name || monitor.target || 'Unnamed', MAX_NAME, notes);
  if (monitor.tags !== undefined) monitor.tags = fitTags(monitor.tags, notes);
  if (monitor.type === 'HEARTBEAT') fitHeartbeat(monitor, minIntervalSeconds, notes);
  else fitTimes(monitor, minIntervalSeconds, notes);
  const { retries = 0 } = monitor.confirmation_policy ?? {};
  if (retries > MAX_RETRIES) {
    monitor.confirmation_policy = { ...monitor.confirmation_policy, retries: MAX_RETRIES };
    notes.push(`Retries: ${MAX_RETRIES} instead of ${retries}.`);
  }
  if (monitor.type === 'HTTP' || monitor.type === 'KEYWORD') fitRequest(monitor, notes);
  const { target, headers, body, auth, keywords, send } = monitor;
  const filled = mapTexts({ target, headers, body, auth, keywords, send }, withoutPlaceholders);
  return { monitor: { ...monitor, ...filled as Partial<Draft> }, notes };
}

/** One line without control characters, of at most `max` characters. */
export function fitName(name: string, max: number, notes: string[]): string {
  const line = name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  const characters = [...line];
  if (characters.length <= max) return line;
  notes.push(`The name is cut to ${max} characters.`);
  return characters.slice(0, max).join('').trim();
}

function fitTags(sent: readonly string[], notes: string[]): string[] {
  const own: string[] = [];
  const tags = sent.map((tag) => fitName(tag.replaceAll(',', ' '), MAX_TAG, own)).filter((tag) => tag !== '');
  const unique = [...new Set(tags)];
  if (own.length > 0) notes.push(`Tags are cut to ${MAX_TAG} characters.`);
  if (unique.length > MAX_TAGS) notes.push(`Only the first ${MAX_TAGS} of ${unique.length} tags are kept.`);
  return unique.slice(0, MAX_TAGS);
}

function fitTimes(monitor: Draft, minIntervalSeconds: number, notes: string[]): void {
  const sent = monitor.interval_seconds ?? 60;
  const interval = Math.min(MAX_INTERVAL_SECONDS, Math.max(minIntervalSeconds, Math.round(sent)));
  if (interval !== sent) notes.push(`The interval is ${interval} s instead of ${sent} s.`);
  monitor.interval_seconds = interval;
  const { timeout_ms: timeout } = monitor;
  if (typeof timeout !== 'number') return;
  const fitted = Math.min(MAX_TIMEOUT_MS, interval * 1000, Math.max(MIN_TIMEOUT_MS, Math.round(timeout)));
  if (fitted !== timeout) notes.push(`The timeout is ${fitted / 1000} s instead of ${timeout / 1000} s.`);
  monitor.timeout_ms = fitted;
}

function fitHeartbeat(monitor: Draft, minIntervalSeconds: number, notes: string[]): void {
  if (typeof monitor.heartbeat_schedule !== 'string') {
    const sent = monitor.heartbeat_interval ?? 86_400;
    const interval = Math.max(minIntervalSeconds, Math.round(sent));
    if (interval !== sent) notes.push(`The interval is ${interval} s instead of ${sent} s.`);
    monitor.heartbeat_interval = interval;
  }
  const grace = monitor.grace_period ?? 60;
  monitor.grace_period = Math.min(MAX_GRACE_SECONDS, Math.max(1, Math.round(grace)));
  if (grace > MAX_GRACE_SECONDS) notes.push(`A ping may be ${MAX_GRACE_SECONDS} s late instead of ${grace} s.`);
  const { max_runtime_seconds: maxRuntime } = monitor;
  if (typeof maxRuntime === 'number') {
    monitor.max_runtime_seconds = Math.min(MAX_GRACE_SECONDS, Math.max(1, Math.round(maxRuntime)));
  }
  const { heartbeat_token: token } = monitor;
  if (typeof token !== 'string' || IMPORTED_TOKEN.test(token)) return;
  delete monitor.heartbeat_token;
  notes.push('It gets a new token, because its own is not 10 to 64 letters, digits, - and _; change its jobs.');
}

function fitRequest(monitor: Draft, notes: string[]): void {
  const headers = Object.entries(monitor.headers ?? {});
  const seen = new Set<string>();
  const kept = headers.filter(([name]) => {
    const key = name.toLowerCase();
    if (FRAMING_HEADERS.has(key) || FORBIDDEN_NAMES.includes(name) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  if (kept.length < headers.length) {
    const dropped = headers.filter((one) => !kept.includes(one)).map(([name]) => name);
    notes.push(`Headers that the check sets itself are left out: ${dropped.join(', ')}.`);
  }
  if (monitor.headers !== undefined) monitor.headers = Object.fromEntries(kept);
  moveCredentials(monitor);
  if (monitor.auth !== undefined && seen.has('authorization')) {
    delete monitor.auth;
    notes.push('The Authorization header is kept, and the user name and password are not.');
  }
  if (monitor.method === 'HEAD' && (monitor.type === 'KEYWORD' || (monitor.assertions?.length ?? 0) > 0)) {
    monitor.method = 'GET';
    notes.push('The method is GET instead of HEAD, because the body is searched.');
  }
}

/** Moves the user name and password of an address to where Farwatch has them. */
function moveCredentials(monitor: Draft): void {
  const url = parsedUrl(monitor.target ?? '');
  if (url === null || (url.username === '' && url.password === '')) return;
  const [username, password] = [url.username, url.password].map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  }) as [string, string];
  monitor.auth ??= { type: 'basic', username, password };
  url.username = '';
  url.password = '';
  monitor.target = url.href;
}

/** Without unset fields, NUL and unpaired surrogates, which no document may contain. */
export function clean(value: unknown): unknown {
  return mapTexts(value, (text) => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** Without unset fields, and with `map` applied to each text. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (typeof value !== 'object' || value === null) return value;
  const set = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(set.map(([name, one]) => [map(name), mapTexts(one, map)]));
}
