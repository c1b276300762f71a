/** The fields that may hold null. The compiler reports what a listing lacks, except for optional fields. */
type NullsOf<T> = { [K in keyof T as null extends T[K] ? K : never]: null };

type Within<T> = { readonly [K in keyof T]?: (value: NonNullable<T[K]>) => void };

/** Puts null into those fields of a stored value that may hold null and are missing. Returns the value. */
export type Restore<T> = (value: T) => T;

/**
 * Some databases leave a field out that was written as null. `nulls` lists the fields that hold a value or
 * null; `within` restores the values of fields that have such fields themselves.
 */
export function restoring<T extends object>(nulls: NullsOf<T>, within: Within<T> = {}): Restore<T> {
  const names = Object.keys(nulls) as (keyof T)[];
  const inner = Object.entries(within) as [keyof T, (value: unknown) => void][];
  return (value) => {
    for (const name of names) if (value[name] === undefined) value[name] = null as T[keyof T];
    for (const [name, restore] of inner) if (typeof value[name] === 'object' && value[name]) restore(value[name]);
    return value;
  };
}

/** Restores each element of an array, or each value of a record. */
export function each<T>(restore: Restore<T>): (values: readonly T[] | Readonly<Record<string, T>>) => void {
  return (values) => {
    for (const value of Object.values(values)) restore(value);
  };
}
