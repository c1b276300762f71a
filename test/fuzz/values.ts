import type { Random } from '../simulation/random.ts';
import type { Schema } from './document.ts';
import { kindOfField, type Pool } from './pool.ts';

export interface Making {
  random: Random;
  pool: Pool;
  named: Record<string, Schema>;
  /** The only address in requests; answers everything. */
  sink: string;
  /** An account that can sign in. */
  account: { email: string; password: string };
}

/**
 * A value that matches the schema, with existing ids. `field` is its name, which determines the kind of id.
 */
export function valueFor(making: Making, schema: Schema, field: string): unknown {
  const { random } = making;
  if ('$ref' in schema) {
    return valueFor(
      making, making.named[String(schema['$ref']).split('/').at(-1) as string] as Schema, field,
    );
  }
  if ('const' in schema) return schema['const'];
  if ('enum' in schema) return random.pick(schema['enum'] as unknown[]);
  const ways = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (ways !== undefined) return valueFor(making, random.pick(ways), field);
  const types = [schema['type']].flat() as string[];
  switch (random.pick(types)) {
    case 'null': return null;
    case 'boolean': return random.chance(0.5);
    case 'integer':
    case 'number': return numberFor(random, schema);
    case 'array': return arrayFor(making, schema, field);
    case 'object': return objectFor(making, schema);
    default: return textFor(making, schema, field);
  }
}

function numberFor(random: Random, schema: Schema): number {
  const lowest = Number(schema['minimum'] ?? 0);
  const highest = Number(schema['maximum'] ?? lowest + 1000);
  return random.chance(0.1)
    ? random.pick([lowest, highest])
    : random.int(lowest, Math.min(highest, lowest + 1000));
}

function arrayFor(making: Making, schema: Schema, field: string): unknown[] {
  const least = Number(schema['minItems'] ?? 0);
  const length = making.random.int(least, Math.min(Number(schema['maxItems'] ?? 3), least + 2));
  const items = Array.from({ length }, () => valueFor(making, schema['items'] as Schema, field));
  return [...new Set(items)];
}

function objectFor(making: Making, schema: Schema): Record<string, unknown> {
  const required = (schema['required'] ?? []) as string[];
  const made: Record<string, unknown> = {};
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
    const isTyped =
      ['type', '$ref', 'anyOf', 'oneOf', 'const', 'enum'].some((keyword) => keyword in property);
    if (required.includes(name) || (isTyped && property['readOnly'] !== true && making.random.chance(0.3))) {
      made[name] = valueFor(making, property, name);
    }
  }
  if (typeof schema['additionalProperties'] === 'object' && making.random.chance(0.5)) {
    made['X-Fuzz'] = valueFor(making, schema['additionalProperties'] as Schema, 'value');
  }
  return made;
}

function textFor(making: Making, schema: Schema, field: string): string {
  const { random, pool, sink } = making;
  const kind = kindOfField(field) ?? (field.endsWith('_ids') || field.endsWith('_id') ? 'monitors' : null);
  const known = kind === null ? null : pool.pick(kind, random);
  if (schema['format'] === 'uuid') return known?.id ?? random.uuid();
  if (known !== null && field.endsWith('_id')) return known.id;
  if (schema['format'] === 'date-time') {
    return new Date(Date.UTC(2026, random.int(0, 11), random.int(1, 28), random.int(0, 23))).toISOString();
  }
  if (kind === 'regions' && known !== null) return known.id;
  if (field === 'email' || field === 'to') return `fuzz-${random.int(0, 9999)}@example.com`;
  if (/url$|^target$|^logo|^favicon/.test(field)) return `${sink}/${random.int(0, 99)}`;
  if (field === 'timezone') return random.pick(['Europe/Berlin', 'UTC', 'America/New_York']);
  return wordsFor(random, schema);
}

function wordsFor(random: Random, schema: Schema): string {
  const least = Number(schema['minLength'] ?? 1);
  const most = Number(schema['maxLength'] ?? 40);
  const number = String(random.int(0, 255));
  if (fits(schema, number)) return number;
  const word = `w${random.int(0, 10 ** 9).toString(36)}-fuzz`;
  return word.padEnd(least, 'x').slice(0, Math.max(least, Math.min(most, 40)));
}

/** True if the schema allows only digits, as for an exit code or a page, and these match. */
function fits(schema: Schema, digits: string): boolean {
  return typeof schema['pattern'] === 'string' && schema['pattern'].includes('\\d{1,') &&
    new RegExp(schema['pattern'], 'u').test(digits);
}
