import { z } from 'zod';
import { monitorInputs } from '../monitors/schema.ts';

/** What a form can say against a field before it is sent. */
export interface FieldRule {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  enum?: string[];
}

interface Schema extends FieldRule {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  readOnly?: boolean;
}

const KEPT = ['minimum', 'maximum', 'maxLength', 'maxItems', 'enum'] as const;

/**
 * The rules of a new monitor's fields by path, such as `tcp_config.port`, from the schema that the API checks
 * requests with. The build of the console puts them into its form.
 */
export function monitorRules(): Record<string, FieldRule> {
  const schema = z.toJSONSchema(monitorInputs(1).create, { io: 'input', unrepresentable: 'any' }) as Schema;
  const rules = Object.fromEntries(rulesOf(schema, ''));
  // Installations and plans have a lowest interval of their own, which only their API knows.
  delete rules['interval_seconds']?.minimum;
  return rules;
}

/** Of all properties; those of a list are those of its items. */
function rulesOf(
  { items, properties = items?.properties ?? {} }: Schema, prefix: string,
): [path: string, rule: FieldRule][] {
  const sendable = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true);
  return sendable.flatMap(([name, sent]) => {
    const schema = { ...sent.anyOf?.find((one) => 'type' in one && one.type !== 'null'), ...sent };
    const kept = KEPT.flatMap((key) => (isLimit(schema[key]) ? [[key, schema[key]]] : []));
    const own: FieldRule = Object.fromEntries(kept);
    return [[`${prefix}${name}`, own] as [string, FieldRule], ...rulesOf(schema, `${prefix}${name}.`)];
  });
}

/** A number that every integer keeps to is none. */
function isLimit(value: unknown): boolean {
  return value !== undefined && !(typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
}
