/** The nullable fields of T. The compiler reports those missing from a list, except optional ones. */
type NullsOf<T> = { [K in keyof T as null extends T[K] ? K : never]: null };

type Within<T> = { readonly [K in keyof T]?: (value: NonNullable<T[K]>) => void };

/** Sets missing nullable fields of a stored value to null. Returns the value. */
export type Restore<T> = (value: T) => T;

/**
 * Some databases drop fields written as null. `nulls` lists the nullable fields; `within` restores nested
 * values with nullable fields.
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
