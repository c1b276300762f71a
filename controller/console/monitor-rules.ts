import { z } from 'zod';
import { MONITOR_TYPES, type MonitorType } from '../../shared/contracts/check-spec.ts';
import { timeoutMs, type MonitorDoc } from '../monitors/monitor.ts';
import { monitorInputs } from '../monitors/schema.ts';
import { settable } from '../monitors/settable.ts';
import { viewSettings } from '../monitors/views.ts';

type Scalar = string | number | boolean;

/**
 * What a form knows about a field before it is sent. For a list, `minimum` and `maximum` apply to its
 * numbers.
 */
export interface FieldRule {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  enum?: string[];
  unit?: 'ms' | 's' | 'bytes' | 'days';
  /** The value that the API uses if none is sent. */
  default?: Scalar | Scalar[];
}

interface Schema extends Omit<FieldRule, 'unit'> {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  readOnly?: boolean;
  'x-unit'?: FieldRule['unit'];
}

const COPIED_KEYS = ['minimum', 'maximum', 'maxLength', 'maxItems', 'maxProperties', 'enum'] as const;

/**
 * Rules of a new monitor's fields by path, such as `tcp_config.port`, derived from the API's request schema
 * and its defaults. The console's build puts them into its form.
 */
export function monitorRules(): Record<string, FieldRule> {
  const schema = z.toJSONSchema(monitorInputs(1).create, { io: 'input', unrepresentable: 'any' }) as Schema;
  const rules = Object.fromEntries(rulesOf(schema, ''));
  for (const type of MONITOR_TYPES) {
    const requiredPaths = pathsOf(MINIMAL_INPUTS[type]).map(([path]) => path);
    for (const [path, value] of pathsOf(defaultsOf(type))) {
      const rule = rules[path];
      if (rule !== undefined && !requiredPaths.includes(path) && isShown(value)) rule.default = value;
    }
  }
  // The minimum depends on the installation and the plan, which only its API knows.
  delete rules['interval_seconds']?.minimum;
  return rules;
}

/** Rules of all properties. A list's rule is that of its items. */
function rulesOf(
  { items, properties = items?.properties ?? {} }: Schema, prefix: string,
): [path: string, rule: FieldRule][] {
  const sendable = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true);
  return sendable.flatMap(([name, property]) => {
    const schema = { ...property.anyOf?.find((one) => 'type' in one && one.type !== 'null'), ...property };
    const own: FieldRule = {};
    for (const key of COPIED_KEYS) {
      const value = schema[key] ?? (key === 'minimum' || key === 'maximum' ? schema.items?.[key] : undefined);
      if (isLimit(value)) Object.assign(own, { [key]: value });
    }
    if (schema['x-unit'] !== undefined) own.unit = schema['x-unit'];
    return [[`${prefix}${name}`, own] as [string, FieldRule], ...rulesOf(schema, `${prefix}${name}.`)];
  });
}

/** False for the limits that every integer meets. */
function isLimit(value: unknown): boolean {
  return value !== undefined && !(typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
}

/** The minimum that a monitor of each type requires. */
const MINIMAL_INPUTS: Record<MonitorType, object> = {
  HTTP: { target: 'https://host.example' },
  KEYWORD: { target: 'https://host.example', keyword_config: { keywords: [{ text: 'text' }] } },
  TCP: { target: 'host.example', tcp_config: { port: 1 } },
  ICMP: { target: 'host.example' },
  DNS: { target: 'host.example', dns_config: { record_entries: [{ type: 'A' }] } },
  HEARTBEAT: { heartbeat_interval: 60, grace_period: 60 },
};

/** The values of a monitor created with only the required fields. */
function defaultsOf(type: MonitorType): object {
  const required = { name: 'name', type, interval_seconds: 86_400 };
  const disabled = { enabled: false };
  const input = {
    ...required, ...MINIMAL_INPUTS[type], ssl_monitoring: disabled, domain_monitoring: disabled,
  };
  const doc = { type, ...settable(monitorInputs(1).create.parse(input), null, required, 1) } as MonitorDoc;
  const view = viewSettings(doc, { depends_on: [] }, false);
  const { name: _name, interval_seconds: _interval, status: _status, ...fields } = view;
  return { ...fields, timeout_ms: timeoutMs(doc) };
}

/** Each non-object value with its path. */
function pathsOf(whole: object, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(whole).flatMap(([name, value]: [string, unknown]) => (
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? pathsOf(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as [string, unknown]]
  ));
}

function isShown(value: unknown): value is Scalar | Scalar[] {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => typeof one !== 'object');
  return value !== null && value !== undefined && value !== '';
}
