import type { components, paths } from '../api/openapi.d.ts';

export type Destination = components['schemas']['Integration'];
export type DestinationInput = paths['/api/integrations']['post']['requestBody']['content']['application/json'];
export type Kind = Destination['type'];
export type AlertEvent = Destination['events'][number];

export const KINDS = ['email', 'slack', 'webhook'] as const satisfies readonly Kind[];

/** Events by topic, in the order of the form. */
export const EVENT_GROUPS = {
  outages: ['monitor.down', 'monitor.up'],
  warnings: [
    'monitor.ssl_expiring', 'monitor.domain_expiring', 'monitor.slow_response', 'monitor.slow_response_resolved',
    'monitor.region_degraded',
  ],
  data: ['monitor.no_data', 'monitor.no_data_resolved'],
  probes: ['probe.offline', 'probe.online', 'probe.quarantined', 'probe.released'],
} as const satisfies Record<string, readonly AlertEvent[]>;

/** The API's defaults for a new destination. */
const DEFAULT_EVENTS: readonly AlertEvent[] = [...EVENT_GROUPS.outages, ...EVENT_GROUPS.warnings.slice(0, 4)];

/** The form's values. Lists are text with one entry per line. */
export interface Draft {
  type: Kind;
  name: string;
  enabled: boolean;
  is_default: boolean;
  events: readonly AlertEvent[];
  /** URL of a webhook or a Slack workspace. */
  url: string;
  method: 'POST' | 'PUT';
  /** One `Name: value` per line. */
  headers: string;
  /** Email addresses, separated by newlines or commas. */
  recipients: string;
}

export function newDraft(type: Kind): Draft {
  return {
    type, name: '', enabled: true, is_default: true, events: DEFAULT_EVENTS, url: '', method: 'POST', headers: '', recipients: '',
  };
}

export function draftOf(destination: Destination): Draft {
  const { type, name, enabled, is_default, events } = destination;
  const draft = { ...newDraft(type), name, enabled, is_default, events };
  if (destination.type === 'email') return { ...draft, recipients: destination.config.to.join('\n') };
  if (destination.type === 'slack') return { ...draft, url: destination.config.webhook_url };
  const { url, method, headers } = destination.config;
  return { ...draft, url, method, headers: Object.entries(headers).map((one) => one.join(': ')).join('\n') };
}

/** The request's body. Sends a header line without a colon as a name, so that the API reports it. */
export function inputOf({ type, name, enabled, is_default, events, url, method, headers, recipients }: Draft): DestinationInput {
  const common = { name, enabled, is_default, events: [...events] };
  if (type === 'email') return { ...common, type, config: { to: recipients.split(/[\s,;]+/).filter(Boolean) } };
  if (type === 'slack') return { ...common, type, config: { webhook_url: url.trim() } };
  const lines = headers.split('\n').map((line) => line.trim()).filter(Boolean);
  const pairs = lines.map((line) => {
    const [header = '', ...value] = line.split(':');
    return [header.trim(), value.join(':').trim()] as const;
  });
  return { ...common, type, config: { url: url.trim(), method, headers: Object.fromEntries(pairs) } };
}

/** Where it sends to, in one line. */
export function targetOf(destination: Destination): string {
  if (destination.type === 'email') return destination.config.to.join(', ');
  // The path of a Slack URL is a secret.
  if (destination.type === 'slack') return new URL(destination.config.webhook_url).host;
  return destination.config.url;
}

/** Failing destinations first, then those with suppressed recipients, then by name. */
export function byUrgency(one: Destination, other: Destination): number {
  return urgencyOf(one) - urgencyOf(other) || one.name.localeCompare(other.name);
}

function urgencyOf({ enabled, health }: Destination): number {
  if (!enabled) return 3;
  return health.status === 'failing' ? 0 : health.suppressed_recipients.length > 0 ? 1 : 2;
}
