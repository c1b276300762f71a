import type { AlertSnapshot } from '../delivery.ts';
import { clip, durationText, oneLine, responseText, shownTarget, utc } from './text.ts';

/** What somebody is told, whichever way. All texts are one line each, plain, not encoded for anything. */
export interface AlertContent {
  /** Messages of one kind sort together: `[DOWN] Shop — HTTP 503`. */
  subject: string;
  /** A sentence. */
  headline: string;
  facts: Fact[];
  links: Link[];
  tone: 'bad' | 'warning' | 'good';
}

export interface Fact {
  label: string;
  text: string;
}

export interface Link {
  label: string;
  url: string;
}

const DAY_MS = 86_400_000;
const LONGEST_SUBJECT = 200;
const LONGEST_FACT = 1000;
const LONGEST_MESSAGE = 4000;

const KINDS: Record<AlertSnapshot['event'], { mark: string; says: string; tone: AlertContent['tone'] }> = {
  'monitor.down': { mark: 'DOWN', says: 'is down', tone: 'bad' },
  'monitor.up': { mark: 'UP', says: 'is up again', tone: 'good' },
  'monitor.slow_response': { mark: 'SLOW', says: 'responds slowly', tone: 'warning' },
  'monitor.slow_response_resolved': { mark: 'OK', says: 'responds normally again', tone: 'good' },
  'monitor.ssl_expiring': { mark: 'TLS', says: 'has a certificate that expires soon', tone: 'warning' },
  'monitor.domain_expiring': { mark: 'DOMAIN', says: 'has a domain registration that expires soon', tone: 'warning' },
};

/** The content of every message about an alert. `baseUrl`: where the API answers, without a slash at its end. */
export function alertContent(alert: AlertSnapshot, baseUrl: string): AlertContent {
  const { mark, says, tone } = KINDS[alert.event];
  const lasted = lastedMs(alert);
  const after = lasted === null ? '' : ` after ${durationText(lasted)}`;
  const expiry = expiryText(alert);
  const why = after === '' ? (expiry ?? errorInShort(alert.error)) : `${says}${after}`;
  const sentence = expiry === null ? `${alert.monitor.name} ${says}${after}.` : `${alert.monitor.name}: the ${expiry}.`;
  return {
    subject: clip(oneLine(`[${mark}] ${alert.monitor.name} — ${why ?? says}`), LONGEST_SUBJECT),
    headline: clip(oneLine(sentence), LONGEST_FACT),
    facts: factsOf(alert).map(({ label, text }) => ({ label, text: clip(oneLine(text), LONGEST_FACT) })),
    links: linksOf(alert, baseUrl),
    tone,
  };
}

/** The content as plain text, a line each, for somebody who was asleep a minute ago. */
export function plainText({ headline, facts, links }: AlertContent): string {
  const lines = [headline, ...facts.map(({ label, text }) => `${label}: ${text}`), ...links.map(({ label, url }) => `${label}: ${url}`)];
  return clip(lines.join('\n'), LONGEST_MESSAGE);
}

function factsOf(alert: AlertSnapshot): Fact[] {
  const { monitor, error, incident, regions } = alert;
  const isOver = lastedMs(alert) !== null;
  const facts: (Fact | null)[] = [
    { label: 'Target', text: `${shownTarget(monitor)} (${monitor.type})` },
    error && { label: isOver ? 'Error was' : 'Error', text: `${error.message} (${error.type})` },
    regions.length === 0 ? null : { label: 'Regions', text: regions.map(regionText).join(', ') },
    incident ? { label: isOver ? 'Began' : 'Since', text: utc(incident.started_at) } : { label: 'At', text: utc(alert.at) },
    alert.expiry ? { label: alert.expiry.expires_at <= alert.at ? 'Expired' : 'Expires', text: utc(alert.expiry.expires_at) } : null,
    alert.flapping ? { label: 'Flapping', text: flappingText(alert.flapping) } : null,
    isOver ? { label: 'Recovered', text: utc(incident?.resolved_at as number) } : lastGoodFact(alert),
  ];
  return facts.filter((fact) => fact !== null);
}

/** `certificate expires on 2026-03-08, in 7 days`: the days are those from the check that showed it, which the text names too. */
function expiryText({ event, expiry, at }: AlertSnapshot): string | null {
  if (!expiry) return null;
  const what = event === 'monitor.domain_expiring' ? 'domain registration' : 'certificate';
  const day = utc(expiry.expires_at).slice(0, 10);
  const leftMs = expiry.expires_at - at;
  if (leftMs <= 0) return `${what} expired on ${day}`;
  return `${what} expires on ${day}, in ${leftMs < 2 * DAY_MS ? durationText(leftMs) : `${Math.round(leftMs / DAY_MS)} days`}`;
}

function flappingText({ downs, window_ms }: NonNullable<AlertSnapshot['flapping']>): string {
  return `down ${downs} times in ${durationText(window_ms)}; what follows is told when it is steady again`;
}

/** What it was like just before, to tell a sudden failure from a slow decline. */
function lastGoodFact({ last_success: last }: AlertSnapshot): Fact | null {
  if (!last) return null;
  const took = last.response_time_ms === null ? '' : `, in ${responseText(last.response_time_ms)}`;
  return { label: 'Last good check', text: `${utc(last.at)}${took}` };
}

function regionText({ id, name, city }: AlertSnapshot['regions'][number]): string {
  const known = name === '' ? id : name;
  return city && !known.includes(city) ? `${known} (${city})` : known;
}

function linksOf({ incident, monitor }: AlertSnapshot, baseUrl: string): Link[] {
  const links = [{ label: 'Monitor', url: `${baseUrl}/api/monitors/${monitor.id}` }];
  return incident ? [{ label: 'Incident', url: `${baseUrl}/api/incidents/${incident.id}` }, ...links] : links;
}

/** `Expected 200, got 503` fills a subject that `HTTP 503` says at a glance. */
function errorInShort(error: AlertSnapshot['error']): string | null {
  const status = error?.type === 'status_code' ? /\bgot (\d{3})\b/.exec(error.message)?.[1] : undefined;
  return status === undefined ? (error?.message ?? null) : `HTTP ${status}`;
}

function lastedMs({ event, incident }: AlertSnapshot): number | null {
  if (event !== 'monitor.up' && event !== 'monitor.slow_response_resolved') return null;
  return typeof incident?.resolved_at === 'number' ? incident.resolved_at - incident.started_at : null;
}
