import { z } from 'zod';

/** A UUID in the path or query, any case; comes out in lower case. */
export const uuidParam = z
  .string()
  .regex(/^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/, 'Must be a UUID')
  .transform((id) => id.toLowerCase())
  .meta({ format: 'uuid' });

const readOnlyField = z.unknown().optional().meta({ readOnly: true, description: 'Returned by reads; ignored in requests.' });

/** Fields that a read returns and a request cannot set: what was read can be sent back, and these are ignored. */
export function readOnlyFields<Name extends string>(...names: Name[]): Record<Name, typeof readOnlyField> {
  return Object.fromEntries(names.map((name) => [name, readOnlyField])) as Record<Name, typeof readOnlyField>;
}

/** A path that names one resource by its id. */
export const idParams = z.strictObject({ id: uuidParam });

/** An instant as ISO 8601 with its offset; without one it would mean another instant on each server. Comes out in Unix ms. */
export const instantInput = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 date and time' })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' });

/** A whole number in the query, in decimal digits only. */
export function queryInt(options: { min: number; max?: number; fallback: number }) {
  const { min, max = Number.MAX_SAFE_INTEGER, fallback } = options;
  const rule = max === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, `Must be ${rule}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `Must be ${rule}`)
    .default(fallback)
    .meta({ type: 'integer', minimum: min, ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }), fallback });
}

/** `true` or `false` in the query. */
export const queryBoolean = z.enum(['true', 'false']).transform((text) => text === 'true');
