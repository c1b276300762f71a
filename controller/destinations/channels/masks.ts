import type { z } from 'zod';
import { fieldError } from '../../http/input/validation.ts';
import { MASK, secretKind } from './fields.ts';

type Values = Record<string, unknown>;

/** The config with its secrets masked. */
export function masked(schema: z.ZodObject, config: object): Values {
  const entries = Object.entries(config);
  return Object.fromEntries(entries.map(([name, value]) => [name, maskOf(schema, name, value)]));
}

/**
 * The change with stored values in place of masks. Throws VALIDATION_ERROR for a mask without a stored value
 * and for one of a URL with another host.
 */
export function unmasked(schema: z.ZodObject, change: object, stored: object | null): Values {
  const before = (stored ?? {}) as Values;
  return Object.fromEntries(Object.entries(change).map(([name, value]) => {
    if (!isMasked(value)) return [name, value];
    const kind = kindOf(schema, name);
    if (kind === null) return [name, value];
    if (kind === 'items') return [name, unmaskedItems(name, value, before[name])];
    if (value === maskOf(schema, name, before[name])) return [name, before[name]];
    const isOtherHost = kind === 'path' && before[name] !== undefined;
    throw fieldError(`config.${name}`, isOtherHost ? 'Enter the complete new URL' : NOTHING_STORED);
  }));
}

/**
 * The secret fields of which `change` keeps the stored value, by leaving them out or by masks. A secret URL
 * is its own address.
 */
export function keptSecrets(schema: z.ZodObject, change: object, stored: object): string[] {
  const [sent, before] = [change as Values, stored as Values];
  return Object.keys(schema.shape).filter((name) => {
    const kind = kindOf(schema, name);
    if (before[name] === undefined || kind === null || kind === 'path') return false;
    return sent[name] === undefined || isMasked(sent[name]);
  });
}

const NOTHING_STORED = `${MASK} keeps a stored value, but there is none`;

function unmaskedItems(name: string, value: unknown, stored: unknown): unknown {
  const before = Array.isArray(stored) ? stored as unknown[] : [];
  if (!Array.isArray(value)) return before.length > 0 ? before : failed(name);
  return value.map((item: unknown, index) => {
    if (item !== MASK) return item;
    return before[index] ?? failed(`${name}.${index}`);
  });
}

function failed(path: string): never {
  throw fieldError(`config.${path}`, NOTHING_STORED);
}

function isMasked(value: unknown): boolean {
  if (Array.isArray(value)) return value.includes(MASK);
  return typeof value === 'string' && (value === MASK || value.endsWith(`/${MASK}`));
}

function maskOf(schema: z.ZodObject, name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (kindOf(schema, name)) {
    case 'value': return MASK;
    case 'path': return `${new URL(String(value)).origin}/${MASK}`;
    case 'items': return (value as unknown[]).map(() => MASK);
    default: return value;
  }
}

function kindOf(schema: z.ZodObject, name: string) {
  const field = schema.shape[name] as z.ZodType | undefined;
  return field === undefined ? null : secretKind(field);
}
