import { typeClass } from '../bson/compare.ts';
import { BsonType, isNumber, toDouble, type Value } from '../bson/value.ts';
import { encodeKey, KeyWriter } from '../keys/key-writer.ts';
import { distinct, type KeyField } from '../keys/index-keys.ts';
import type { Condition, Filter } from './filter.ts';

/** A range of encoded keys: `from` <= key < `to`. */
export interface KeyRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

export interface Bounds {
  /** In index order, disjoint. */
  readonly ranges: readonly KeyRange[];
  /** Number of leading fields fixed to a single value. */
  readonly equalFields: number;
  /** Number of leading fields fixed to one or several values. */
  readonly pointFields: number;
  readonly hasRange: boolean;
}

/**
 * Maximum combinations of several fields' values; beyond it, the matcher evaluates the remaining conditions.
 * A single field has no more values than the query lists.
 */
const MAX_COMBINED = 4096;
const AFTER = Buffer.from([0xff]);
const EMPTY = Buffer.alloc(0);

/** Index ranges that include every document matching all of `parts`. */
export function indexBounds(
  fields: readonly KeyField[], parts: readonly Filter[], multikey: boolean,
): Bounds {
  let prefixes: Buffer[] = [EMPTY];
  let equalFields = 0;
  let pointFields = 0;
  let range: KeyRange | null = null;
  const roots = new Set<string>();
  for (const field of fields) {
    const root = field.path[0] as string;
    // Different elements of one array may satisfy the conditions on two fields.
    if (multikey && roots.has(root)) break;
    const conditions = parts.filter((part): part is Condition => 'name' in part && part.name === field.name);
    const points = pointsOf(conditions, field);
    const isTooMany = prefixes.length > 1 && prefixes.length * (points?.length ?? 0) > MAX_COMBINED;
    if (points === null || isTooMany) {
      range = rangeOf(conditions, field, multikey);
      break;
    }
    roots.add(root);
    if (points.length === 1 && equalFields === pointFields) equalFields++;
    pointFields++;
    prefixes = prefixes.flatMap((prefix) => points.map((point) => Buffer.concat([prefix, point])));
  }
  const { from, to } = range ?? { from: EMPTY, to: AFTER };
  const ranges = prefixes.map((prefix) => {
    return { from: Buffer.concat([prefix, from]), to: Buffer.concat([prefix, to]) };
  });
  return { ranges, equalFields, pointFields, hasRange: range !== null };
}

/** The encoded values a field is fixed to, ascending and distinct; null if it isn't fixed. */
function pointsOf(conditions: readonly Condition[], field: KeyField): Buffer[] | null {
  const equal = conditions.find((condition) => condition.kind === 'eq' && isIndexable(condition.value));
  if (equal?.kind === 'eq') return [component(equal.value, field)];
  const listed = conditions.find((test) => test.kind === 'in' && test.values.every(isIndexable));
  if (listed?.kind !== 'in') return null;
  return distinct(listed.values.map((value) => component(value, field)));
}

/** Arrays are indexed by their elements, so an array's own encoding doesn't find it. */
function isIndexable(value: Value): boolean {
  return value.type !== BsonType.array;
}

function component(value: Value, field: KeyField): Buffer {
  return new KeyWriter().component(value, field.descending).take();
}

/** An end of an interval of ascending encodings: just before or after all keys that start with `bytes`. */
interface End {
  readonly bytes: Buffer;
  readonly isAfter: boolean;
}

/** The range allowed by a field's orderings, in index direction; null if there are none. */
function rangeOf(conditions: readonly Condition[], field: KeyField, multikey: boolean): KeyRange | null {
  let lower: End | null = null;
  let upper: End | null = null;
  let valueClass: number | null = null;
  for (const condition of conditions) {
    const end = endOf(condition);
    // Orderings of two type classes match nothing together; the matcher handles that.
    if (end === null || (valueClass !== null && end.valueClass !== valueClass)) continue;
    // In an array, one element may satisfy the lower bound and another the upper.
    if (multikey && valueClass !== null) continue;
    valueClass = end.valueClass;
    if (end.isLower) lower = lower === null || compareEnds(end, lower) > 0 ? end : lower;
    else upper = upper === null || compareEnds(end, upper) < 0 ? end : upper;
  }
  if (valueClass === null) return null;
  const low = lower ?? { bytes: Buffer.from([valueClass]), isAfter: false };
  const high = upper ?? { bytes: Buffer.from([valueClass]), isAfter: true };
  const [from, to] = field.descending ? [inverted(high), inverted(low)] : [low, high];
  return { from: position(from), to: position(to) };
}

/** The bound set by an ordering; null for other conditions and for values that don't bound anything. */
function endOf(condition: Condition): (End & { valueClass: number; isLower: boolean }) | null {
  const { kind } = condition;
  if (kind !== 'gt' && kind !== 'gte' && kind !== 'lt' && kind !== 'lte') return null;
  const { value } = condition;
  if (value.type === BsonType.null || value.type === BsonType.array) return null;
  if (isNumber(value) && Number.isNaN(toDouble(value))) return null;
  const isAfter = kind === 'gt' || kind === 'lte';
  const isLower = kind === 'gt' || kind === 'gte';
  return { bytes: encodeKey(value), isAfter, valueClass: typeClass(value.type), isLower };
}

function compareEnds(a: End, b: End): number {
  return Buffer.compare(position(a), position(b));
}

function inverted(end: End): End {
  return { bytes: Buffer.from(end.bytes.map((byte) => ~byte & 0xff)), isAfter: !end.isAfter };
}

/**
 * The bound as a key. The byte after an encoding is below 0xff, but a descending string may continue with
 * 0xff 0xfe, so two 0xff sort after everything. After a bare class byte, the bound is the next byte.
 */
function position(end: End): Buffer {
  if (!end.isAfter) return end.bytes;
  return end.bytes.length > 1 ? endOfKeys(end.bytes) : Buffer.from([(end.bytes[0] as number) + 1]);
}

/** A key after all keys that start with these encoded values and before all later ones. */
export function endOfKeys(values: Buffer): Buffer {
  return Buffer.concat([values, AFTER, AFTER]);
}
