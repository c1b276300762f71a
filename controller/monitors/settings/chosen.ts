import { isDeepStrictEqual } from 'node:util';
import { fieldError } from '../../http/validation.ts';

/**
 * The value of a setting that may stand in several places of a body, over the `current` one. Where they differ, one that only
 * repeats the current value gives way, since that is what an edited read looks like. Null is a value, undefined is none.
 * Throws VALIDATION_ERROR at `path` for two different new values.
 */
export function chosen<T>(path: string, current: T | undefined, given: readonly (T | undefined)[]): T | undefined {
  const values: T[] = [];
  for (const value of given) {
    if (value === undefined || isDeepStrictEqual(value, current) || values.some((one) => isDeepStrictEqual(one, value))) continue;
    values.push(value);
  }
  if (values.length > 1) throw fieldError(path, 'Given twice with different values');
  return values.length === 0 ? current : values[0];
}
