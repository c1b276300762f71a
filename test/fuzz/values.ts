import type { Random } from '../simulation/random.ts';
import type { Schema } from './document.ts';
import { kindOfField, type Pool } from './pool.ts';

export interface FuzzContext {
  random: Random;
  pool: Pool;
  named: Record<string, Schema>;
  /** The only URL in requests; accepts everything. */
  sink: string;
  /** An account that can sign in. */
  account: { email: string; password: string };
}

/**
 * A value that matches the schema, with existing ids. `field` is its name, which determines the kind of id.
 */
export function valueFor(context: FuzzContext, schema: Schema, field: string): unknown {
  const { random } = context;
  if ('$ref' in schema) {
    return valueFor(
      context, context.named[String(schema['$ref']).split('/').at(-1) as string] as Schema, field,
    );
  }
  if ('const' in schema) return schema['const'];
  if ('enum' in schema) return random.pick(schema['enum'] as unknown[]);
  const variants = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (variants !== undefined) return valueFor(context, random.pick(variants), field);
  const types = [schema['type']].flat() as string[];
  switch (random.pick(types)) {
    case 'null': return null;
    case 'boolean': return random.chance(0.5);
    case 'integer':
    case 'number': return numberFor(random, schema);
    case 'array': return arrayFor(context, schema, field);
    case 'object': return objectFor(context, schema);
    default: return textFor(context, schema, field);
  }
}

function numberFor(random: Random, schema: Schema): number {
  const lowest = Number(schema['minimum'] ?? 0);
  const highest = Number(schema['maximum'] ?? lowest + 1000);
  return random.chance(0.1)
    ? random.pick([lowest, highest])
    : random.int(lowest, Math.min(highest, lowest + 1000));
}

function arrayFor(context: FuzzContext, schema: Schema, field: string): unknown[] {
  const min = Number(schema['minItems'] ?? 0);
  const length = context.random.int(min, Math.min(Number(schema['maxItems'] ?? 3), min + 2));
  const items = Array.from({ length }, () => valueFor(context, schema['items'] as Schema, field));
  return [...new Set(items)];
}

function objectFor(context: FuzzContext, schema: Schema): Record<string, unknown> {
  const required = (schema['required'] ?? []) as string[];
  const made: Record<string, unknown> = {};
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
    const isTyped =
      ['type', '$ref', 'anyOf', 'oneOf', 'const', 'enum'].some((keyword) => keyword in property);
    if (required.includes(name) || (isTyped && property['readOnly'] !== true && context.random.chance(0.3))) {
      made[name] = valueFor(context, property, name);
    }
  }
  if (typeof schema['additionalProperties'] === 'object' && context.random.chance(0.5)) {
    made['X-Fuzz'] = valueFor(context, schema['additionalProperties'] as Schema, 'value');
  }
  return made;
}

function textFor(context: FuzzContext, schema: Schema, field: string): string {
  const { random, pool, sink } = context;
  const kind = kindOfField(field) ?? (field.endsWith('_ids') || field.endsWith('_id') ? 'monitors' : null);
  const existing = kind === null ? null : pool.pick(kind, random);
  if (schema['format'] === 'uuid') return existing?.id ?? random.uuid();
  if (existing !== null && field.endsWith('_id')) return existing.id;
  if (schema['format'] === 'date-time') {
    return new Date(Date.UTC(2026, random.int(0, 11), random.int(1, 28), random.int(0, 23))).toISOString();
  }
  if (kind === 'regions' && existing !== null) return existing.id;
  if (field === 'email' || field === 'to') return `fuzz-${random.int(0, 9999)}@example.com`;
  if (/url$|^target$|^logo|^favicon/.test(field)) return `${sink}/${random.int(0, 99)}`;
  if (field === 'timezone') return random.pick(['Europe/Berlin', 'UTC', 'America/New_York']);
  return randomText(random, schema);
}

function randomText(random: Random, schema: Schema): string {
  const min = Number(schema['minLength'] ?? 1);
  const max = Number(schema['maxLength'] ?? 40);
  const number = String(random.int(0, 255));
  if (fits(schema, number)) return number;
  const text = `w${random.int(0, 10 ** 9).toString(36)}-fuzz`;
  return text.padEnd(min, 'x').slice(0, Math.max(min, Math.min(max, 40)));
}

/** True if the schema allows only digits, as for an exit code or a page, and these match. */
function fits(schema: Schema, digits: string): boolean {
  return typeof schema['pattern'] === 'string' && schema['pattern'].includes('\\d{1,') &&
    new RegExp(schema['pattern'], 'u').test(digits);
}
