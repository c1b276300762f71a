import type { z } from 'zod';
import { NON_SECRET_HEADERS } from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { ChannelSettings, PrivateKind } from './channel.ts';
import { MASK, secretKind, type SecretKind } from './fields.ts';

type Values = Record<string, unknown>;
/** How each secret field of a config is masked. */
type Secrets = ReadonlyMap<string, SecretKind | PrivateKind>;

/** `isExport` includes what project admins read and an export conceals. */
export function secretsOf(
  { config, concealed = {} }: Pick<ChannelSettings<object>, 'concealed'> & { config: z.ZodObject }, isExport = false,
): Secrets {
  const fields = Object.entries(config.shape).flatMap(([name, field]) => {
    const kind = secretKind(field as z.ZodType);
    return kind === null ? [] : [[name, kind] as const];
  });
  return new Map([...fields, ...Object.entries(isExport ? concealed : {}) as [string, PrivateKind][]]);
}

/** The config with its secrets masked. */
export function masked(secrets: Secrets, config: object): Values {
  const entries = Object.entries(config);
  return Object.fromEntries(entries.map(([name, value]) => [name, maskOf(secrets.get(name), value)]));
}

/**
 * The change with stored values in place of masks. Throws VALIDATION_ERROR for a mask without a stored value
 * and for one of a URL with another host.
 */
export function unmasked(secrets: Secrets, change: object, stored: object | null): Values {
  const before = (stored ?? {}) as Values;
  return Object.fromEntries(Object.entries(change).map(([name, value]) => {
    const kind = secrets.get(name);
    if (kind === undefined || !isMasked(value)) return [name, value];
    if (kind === 'items') return [name, unmaskedItems(name, value, before[name])];
    if (kind === 'headers') return [name, unmaskedHeaders(name, value as Values, before[name])];
    if (value === maskOf(kind, before[name])) return [name, before[name]];
    const isOtherHost = kind === 'path' && before[name] !== undefined;
    throw fieldError(`config.${name}`, isOtherHost ? 'Enter the complete new URL' : NOTHING_STORED);
  }));
}

/**
 * The secret fields of which `change` keeps the stored value, by leaving them out or by masks. A secret URL
 * is its own address.
 */
export function keptSecrets(secrets: Secrets, change: object, stored: object): string[] {
  const [sent, before] = [change as Values, stored as Values];
  return [...secrets].flatMap(([name, kind]) => {
    if (before[name] === undefined || kind === 'path' || !hidesAny(kind, before[name])) return [];
    return sent[name] === undefined || isMasked(sent[name]) ? [name] : [];
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

function unmaskedHeaders(name: string, value: Values, stored: unknown): unknown {
  const headers = Object.entries((stored ?? {}) as Values);
  const before = new Map(headers.map(([header, one]) => [header.toLowerCase(), one]));
  return Object.fromEntries(Object.entries(value).map(([header, one]) => (
    [header, one === MASK ? before.get(header.toLowerCase()) ?? failed(`${name}.${header}`) : one]
  )));
}

function failed(path: string): never {
  throw fieldError(`config.${path}`, NOTHING_STORED);
}

function isMasked(value: unknown): boolean {
  if (typeof value === 'string') return value === MASK || value.endsWith(`/${MASK}`);
  return typeof value === 'object' && value !== null && Object.values(value).includes(MASK);
}

function hidesAny(kind: SecretKind | PrivateKind, value: unknown): boolean {
  return kind !== 'headers' || isMasked(maskOf(kind, value));
}

function maskOf(kind: SecretKind | PrivateKind | undefined, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (kind) {
    case 'value': return MASK;
    case 'path': return `${new URL(String(value)).origin}/${MASK}`;
    case 'items': return (value as unknown[]).map(() => MASK);
    case 'headers': {
      const headers = Object.entries(value as Values);
      return Object.fromEntries(headers.map(([name, one]) => (
        [name, NON_SECRET_HEADERS.has(name.toLowerCase()) ? one : MASK]
      )));
    }
    default: return value;
  }
}
