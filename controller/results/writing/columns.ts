/**
 * Objects by field, as JSON. Most fields of most monitors are equal, so that this is a tenth of the text, and
 * equal values are in memory once.
 */
export interface Columns {
  count: number;
  fields: Record<string, Column>;
}

interface Column {
  /** Distinct values; absent if there are too many. */
  of?: unknown[];
  /** The values, or their places in `of`, with `ABSENT` for objects without it; none if all are equal. */
  each?: unknown[];
}

const ABSENT = -1;

/** Values must be JSON; fields that are undefined are left out. */
export function toColumns<T extends object>(objects: readonly T[]): Columns {
  const names = new Set<keyof T & string>();
  for (const object of objects) for (const name in object) if (object[name] !== undefined) names.add(name);
  const fields: Columns['fields'] = {};
  for (const name of names) fields[name] = columnOf(objects.map((object) => object[name]));
  return { count: objects.length, fields };
}

function columnOf(values: unknown[]): Column {
  const of: unknown[] = [];
  const places = new Map<unknown, number>();
  // Separate, because a text may equal the JSON of an object.
  const objectPlaces = new Map<unknown, number>();
  const each = values.map((value) => {
    if (value === undefined) return ABSENT;
    const isObject = typeof value === 'object' && value !== null;
    const known = isObject ? objectPlaces : places;
    const key = isObject ? JSON.stringify(value) : value;
    let place = known.get(key);
    if (place === undefined) known.set(key, place = of.push(value) - 1);
    return place;
  });
  if (each.includes(ABSENT)) return { of, each };
  if (of.length === 1) return { of };
  return of.length > values.length / 2 ? { each: values } : { of, each };
}

/** The objects, with the fields of `blank` that they lack. All have its hidden class. */
export function fromColumns<T extends object>({ count, fields }: Columns, blank: T): T[] {
  const template: Record<string, unknown> = { ...(blank as Record<string, unknown>) };
  const varying: { name: string; of: unknown[] | undefined; each: unknown[] }[] = [];
  for (const [name, { of, each }] of Object.entries(fields)) {
    // A change would affect all objects.
    of?.forEach(freeze);
    if (each) varying.push({ name, of, each });
    else template[name] = of?.[0];
  }
  return Array.from({ length: count }, (_, at) => {
    const object = { ...template };
    for (const { name, of, each } of varying) {
      const value = each[at];
      if (!of) object[name] = value;
      else if (value !== ABSENT) object[name] = of[value as number];
    }
    return object as T;
  });
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(freeze);
  Object.freeze(value);
}
