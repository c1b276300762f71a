import type { DestinationFormRules, FormField } from './form-field.ts';
import type { components, paths } from '../api/openapi.d.ts';
import type { RehearsalInput } from '../rehearsal/outcome.ts';

export type Destination = components['schemas']['Integration'];
export type DestinationInput = paths['/api/integrations']['post']['requestBody']['content']['application/json'];
export type Kind = Destination['type'];
export type AlertEvent = Destination['events'][number];

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

export const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const;

type Hours = NonNullable<Destination['hours']>;
export const DEFAULT_HOURS: Hours = {
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00', outside: 'hold',
};

/** The form's values. */
export interface Draft {
  type: Kind;
  name: string;
  enabled: boolean;
  is_default: boolean;
  events: readonly AlertEvent[];
  /** Empty lists do not filter. Tags are separated by commas. */
  filter: {
    tags: string;
    group_ids: readonly string[];
    monitor_ids: readonly string[];
    severities: readonly (typeof SEVERITIES)[number][];
  };
  hours: Hours | null;
  delay_minutes: number | null;
  reminder_minutes: number | null;
  /** Null: the default of its type. */
  grouping: Destination['grouping'] | null;
  /** Fields of `config` by path, as text. Lists have one entry per line, headers one `Name: value`. */
  values: Readonly<Record<string, string>>;
}

const NO_FILTER: Draft['filter'] = { tags: '', group_ids: [], monitor_ids: [], severities: [] };

type Form = Pick<DestinationFormRules, 'fields'>;

export function newDraft(type: Kind, { fields }: Form): Draft {
  const values = Object.fromEntries(fields.map(({ name, default: value = '' }) => [name, value]));
  return {
    type, name: '', enabled: true, is_default: true, events: DEFAULT_EVENTS, filter: NO_FILTER, hours: null,
    delay_minutes: null, reminder_minutes: null, grouping: null, values,
  };
}

export function draftOf(destination: Destination, { fields }: Form): Draft {
  const { type, name, enabled, is_default, events, config, hours, delay_minutes, reminder_minutes, grouping } = destination;
  const { tags = [], ...filter } = destination.filter ?? {};
  const values = Object.fromEntries(fields.map((field) => [field.name, textOf(valueAt(config, field.name))]));
  return {
    type, name, enabled, is_default, events, filter: { ...NO_FILTER, ...filter, tags: tags.join(', ') }, hours, delay_minutes,
    reminder_minutes, grouping, values,
  };
}

/** Secrets that are still masked although their address has changed. The API does not send them to a new one. */
export function secretsToReenter(saved: Draft, { values }: Draft, { fields }: Form): string[] {
  const hostOf = (value = '') => /^\w+:\/\/[^/?#]+/.exec(value.trim())?.[0].toLowerCase();
  const isMoved = fields.some(({ name, kind }) => kind === 'url' && hostOf(values[name]) !== hostOf(saved.values[name]));
  return fields.map(({ name }) => name).filter((name) => isMoved && (values[name] ?? '').split(/[\s,;]+/).includes('***'));
}

export type PreviewInput = paths['/api/integrations/preview']['post']['requestBody']['content']['application/json'];

/** The request for a preview: without fields that are still empty. */
export function previewInputOf(draft: Draft, form: Form): PreviewInput {
  const { type, config } = inputOf(draft, form);
  const given = Object.entries(config).filter(([, value]) => value !== '' && value !== null && (value as unknown[]).length !== 0);
  return { type, config: Object.fromEntries(given) } as PreviewInput;
}

/** Types that get one alert for each monitor unless the user chooses otherwise. */
const UNGROUPED: readonly Kind[] = ['webhook', 'pagerduty', 'alertmanager'];

/** The request for a rehearsal of the form's conditions. */
export function rehearsalOf(draft: Draft, form: Form): RehearsalInput {
  const { filter, hours, delay_minutes, reminder_minutes } = inputOf(draft, form);
  const grouping = draft.grouping ?? (UNGROUPED.includes(draft.type) ? 'off' : 'auto');
  return { grouping, destination: { filter, hours, delay_minutes, reminder_minutes } };
}

/** The request's body. An empty optional field is sent as null, which removes it. */
export function inputOf(draft: Draft, { fields }: Form): DestinationInput {
  const { values, filter, events, ...same } = draft;
  const config: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueOf(field, values[field.name] ?? '');
    const [outer = '', inner] = field.name.split('.');
    if (inner === undefined) config[outer] = value;
    else if (value !== null) config[outer] = { ...config[outer] as object | null, [inner]: value };
    else config[outer] ??= null;
  }
  // The API reports what does not fit the type.
  return { ...same, events: [...events], filter: filterOf(filter), config } as unknown as DestinationInput;
}

function filterOf({ tags, ...ids }: Draft['filter']): object | null {
  const lists = { ...ids, tags: tags.split(',').map((tag) => tag.trim()).filter(Boolean) };
  const given = Object.entries(lists).filter(([, list]) => list.length > 0);
  return given.length === 0 ? null : Object.fromEntries(given);
}

function valueOf({ kind, isRequired }: FormField, text: string): unknown {
  const trimmed = text.trim();
  if (kind === 'list') return trimmed.split(/[\s,;]+/).filter(Boolean);
  if (kind === 'headers') return headersOf(trimmed);
  if (trimmed === '') return isRequired ? '' : null;
  if (kind === 'number') return Number(trimmed);
  return kind === 'area' ? text : trimmed;
}

/** A line without a colon is sent as a name, so that the API reports it. */
function headersOf(text: string): Record<string, string> {
  return Object.fromEntries(text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => {
    const [header = '', ...value] = line.split(':');
    return [header.trim(), value.join(':').trim()] as const;
  }));
}

function valueAt(config: object, path: string): unknown {
  return path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], config);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join('\n');
  if (typeof value === 'object') return Object.entries(value).map((one) => one.join(': ')).join('\n');
  return String(value);
}

/** Where it sends to, in one line. */
export function targetOf({ type, config }: Destination): string {
  if (type === 'webhook' || type === 'email') return type === 'email' ? config.to.join(', ') : config.url;
  // The path of a chat's URL is a secret.
  const { url, webhook_url: slackUrl, base_url: server } = config as Record<string, string | undefined>;
  const address = url ?? slackUrl ?? server;
  return address === undefined ? '' : new URL(address).host;
}

/** Failing destinations first, then those with suppressed recipients, then by name. */
export function byUrgency(one: Destination, other: Destination): number {
  return urgencyOf(one) - urgencyOf(other) || one.name.localeCompare(other.name);
}

function urgencyOf({ enabled, health }: Destination): number {
  if (!enabled) return 3;
  return health.status === 'failing' ? 0 : health.suppressed_recipients.length > 0 ? 1 : 2;
}
