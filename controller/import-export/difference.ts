import { isDeepStrictEqual } from 'node:util';
import type { AnyValue } from './responses.ts';

/** A field that an import changes. */
export interface Difference {
  /** Its name in an export. Nested fields are listed individually, such as `tcp_config.port`. */
  field: string;
  /** Null if it is not set. */
  before: AnyValue;
  after: AnyValue;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that differ between two states. Values come from `shown`, the same states without credentials. */
export function differencesOf(
  before: Fields, after: Fields, shown: { before: unknown; after: unknown } = { before, after },
): Difference[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((field): Difference[] => {
    const [one, other] = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(one, other)) return [];
    const values = { before: partOf(shown.before, field), after: partOf(shown.after, field) };
    if (!isObject(one) || !isObject(other)) return [{ field, ...values }];
    return differencesOf(one, other, values).map((part) => ({ ...part, field: `${field}.${part.field}` }));
  });
}

function partOf(whole: unknown, name: string): AnyValue {
  return isObject(whole) && Object.hasOwn(whole, name) ? whole[name] as AnyValue ?? null : null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
