import { z } from 'zod';
import { MAX_URL_LENGTH } from '../../../shared/net-guard.ts';

/** What reads show instead of a secret. In a write, it keeps the stored value. */
export const MASK = '***';

const MAX_SECRET_LENGTH = 1000;
/** `title` is the label in forms. */
interface About {
  title: string;
  description: string;
}

/**
 * `x-secret` of a field: `value` is masked as a whole, `path` of a URL is masked after its host, and of
 * `items` of a list each is masked.
 */
export type SecretKind = 'value' | 'path' | 'items';

/** A token or key, sent in headers, so without spaces and line breaks. */
export function secretText(about: About) {
  return z.string().min(1).max(MAX_SECRET_LENGTH)
    .regex(/^[\x21-\x7e]+$/, 'Must not contain spaces or special characters').meta({ ...about, 'x-secret': 'value' });
}

/** A URL that is itself the secret. */
export function secretUrl(about: About) {
  return z.string().min(1).max(MAX_URL_LENGTH).meta({ ...about, 'x-secret': 'path' });
}

export function secretList(about: About, maxItems: number) {
  const item = z.string().min(1).max(MAX_URL_LENGTH).regex(/^[^\s,]+$/, 'Must not contain spaces or commas');
  return z.array(item).min(1).max(maxItems).meta({ ...about, 'x-secret': 'items' });
}

/** The URL of a server, to which paths are added. */
export function serverUrl(about: About) {
  return z.string().min(1).max(MAX_URL_LENGTH)
    .regex(/^[^?#]*$/, 'Must not contain a query or a fragment').meta({ ...about });
}

/** An optional field, which `null` removes. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().optional();
}

/** The fields of a config by name, as clients send them: without defaults and transforms. */
export function sentFields({ shape }: z.ZodObject): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, sent(field as z.ZodType)]));
}

/** The fields of a config as reads show them: optional fields are absent if they are not set. */
export function readFields(config: z.ZodObject): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(sentFields(config)).map(([name, field]) => {
    const shown = withoutOptional(field);
    const masked = secretKind(shown) === 'items' ? z.array(z.string()) : z.string();
    const schema = secretKind(shown) === null ? shown : masked.describe('Masked');
    return [name, isOptional(field) ? schema.optional() : schema];
  }));
}

function sent(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodDefault) return sent(field.unwrap() as z.ZodType);
  return field instanceof z.ZodPipe ? (field.in as z.ZodType) : field;
}

export function isOptional(field: z.ZodType): boolean {
  return field instanceof z.ZodOptional;
}

export function withoutOptional(field: z.ZodType): z.ZodType {
  const isWrapped = field instanceof z.ZodOptional || field instanceof z.ZodNullable;
  return isWrapped ? withoutOptional(field.unwrap() as z.ZodType) : field;
}

export function secretKind(field: z.ZodType): SecretKind | null {
  return (withoutOptional(field).meta()?.['x-secret'] as SecretKind | undefined) ?? null;
}
