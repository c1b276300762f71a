import { z } from 'zod';

export const UUID = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/;

/** A UUID in any case, converted to lower case. */
export const uuidParam = z
  .string()
  .regex(UUID, 'Must be a UUID')
  .transform((id) => id.toLowerCase())
  .meta({ format: 'uuid' });

export const idParams = z.strictObject({ id: uuidParam });

const readOnlyField = z.unknown().optional()
  .meta({ readOnly: true, description: 'Returned by reads; ignored in requests.' });

/** Fields that reads return and writes ignore, so that clients can send back what they read. */
export function readOnlyFields<Name extends string>(...names: Name[]): Record<Name, typeof readOnlyField> {
  return Object.fromEntries(names.map((name) => [name, readOnlyField])) as Record<Name, typeof readOnlyField>;
}

/** An ISO 8601 instant, converted to Unix ms. The offset is required because servers' time zones differ. */
export const instantInput = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 date and time' })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' });

const NO_TIME_ZONE = 'Must be the name of a time zone, such as Europe/Berlin';

/** An IANA time zone name. Offsets are rejected because they ignore daylight saving time. */
export const timeZoneInput = z.string().max(64).regex(/^[A-Za-z]/, NO_TIME_ZONE)
  .refine(isTimeZone, NO_TIME_ZONE);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** A whole number in the query string, in decimal digits only. */
export function queryInt({ min, max, fallback }: { min: number; max?: number; fallback: number }) {
  const rule = `a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, `Must be ${rule}`)
    .transform(Number)
    .refine((value) => value >= min && value <= (max ?? Infinity), `Must be ${rule}`)
    .default(fallback)
    .meta({ type: 'integer', minimum: min, ...(max === undefined ? {} : { maximum: max }), fallback });
}

export const queryBoolean = z.enum(['true', 'false']).transform((text) => text === 'true');
