import type { AlertSnapshot } from './delivery.ts';

/** Body of a webhook, version 1. Instants are Unix ms. */
export interface WebhookPayload {
  version: '1';
  event: AlertSnapshot['event'];
  timestamp: number;
  monitor: { id: string; name: string; url: string; type: string };
  incident: { id: string; started_at: number | null; resolved_at: number | null } | null;
  subject: string;
  message: string;
}

const LONGEST_SUBJECT = 200;
const LONGEST_MESSAGE = 4000;

/** First words of the subject: messages of one kind sort together. */
const HEADLINES: Record<AlertSnapshot['event'], { mark: string; says: string }> = {
  'monitor.down': { mark: 'DOWN', says: 'is down' },
  'monitor.up': { mark: 'UP', says: 'is up again' },
  'monitor.slow_response': { mark: 'SLOW', says: 'responds slowly' },
  'monitor.slow_response_resolved': { mark: 'OK', says: 'responds normally again' },
  'monitor.ssl_expiring': { mark: 'TLS', says: 'has a certificate that expires soon' },
  'monitor.domain_expiring': { mark: 'DOMAIN', says: 'has a domain registration that expires soon' },
};

/** What a webhook carries. `timestamp` is that of this try, Unix ms. */
export function webhookPayload(alert: AlertSnapshot, timestamp: number): WebhookPayload {
  const { id, name, type } = alert.monitor;
  return {
    version: '1',
    event: alert.event,
    timestamp,
    monitor: { id, name, url: shownTarget(alert), type },
    incident: alert.incident && { id: alert.incident.id, started_at: alert.incident.started_at, resolved_at: alert.incident.resolved_at },
    subject: subjectOf(alert),
    message: messageOf(alert),
  };
}

/** One line: what happened to which monitor, and why or for how long. */
export function subjectOf(alert: AlertSnapshot): string {
  const { mark, says } = HEADLINES[alert.event];
  const lasted = downtimeMs(alert);
  const tail = lasted !== null ? ` after ${durationText(lasted)}` : alert.error ? `: ${alert.error.message}` : '';
  return clip(oneLine(`[${mark}] ${alert.monitor.name} ${says}${tail}`), LONGEST_SUBJECT);
}

/** What, where, since when, the error: a line each, for somebody who was asleep a minute ago. */
export function messageOf(alert: AlertSnapshot): string {
  const { says } = HEADLINES[alert.event];
  const lasted = downtimeMs(alert);
  const lines = [
    `${alert.monitor.name} ${says}${lasted === null ? '' : ` after ${durationText(lasted)}`}.`,
    `Target: ${shownTarget(alert)} (${alert.monitor.type})`,
    alert.error && `Error: ${alert.error.message} (${alert.error.type})`,
    alert.regions.length > 0 && `Regions: ${alert.regions.join(', ')}`,
    alert.incident && `Since: ${utc(alert.incident.started_at)}`,
    typeof alert.incident?.resolved_at === 'number' && `Recovered: ${utc(alert.incident.resolved_at)}`,
    alert.incident ? `Incident: ${alert.incident.id}` : `At: ${utc(alert.at)}`,
  ];
  return clip(lines.filter((line) => typeof line === 'string').map(oneLine).join('\n'), LONGEST_MESSAGE);
}

/** A span in the two largest units that matter: `4 min 12 s`, `2 h 3 min`, `1 d 4 h`. */
export function durationText(spanMs: number): string {
  const seconds = Math.max(0, Math.round(spanMs / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts.slice(first, first + 2).filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`).join(' ');
}

function downtimeMs({ event, incident }: AlertSnapshot): number | null {
  if (event !== 'monitor.up' && event !== 'monitor.slow_response_resolved') return null;
  return typeof incident?.resolved_at === 'number' ? incident.resolved_at - incident.started_at : null;
}

/** The token of a heartbeat and a password in an address let others in; neither is needed to know what is meant. */
function shownTarget({ monitor: { target, type } }: AlertSnapshot): string {
  if (type === 'HEARTBEAT') return `${target.slice(0, 4)}…`;
  return target.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
