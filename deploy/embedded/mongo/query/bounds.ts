import { TypeClass, typeClass } from '../bson/compare.ts';
import { BsonType, isNumber, toDouble, type Value } from '../bson/value.ts';
import { encodeKey, KeyWriter } from '../keys/key-writer.ts';
import type { KeyField } from '../keys/index-keys.ts';
import type { Condition, Filter } from './filter.ts';

/** Stretch of encoded keys: `from` <= key < `to`. */
export interface KeyRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

export interface Bounds {
  /** In index order, disjoint. */
  readonly ranges: readonly KeyRange[];
  /** Leading fields that are each held to one value. */
  readonly equalFields: number;
  /** Leading fields that are held to one or several values. */
  readonly pointFields: number;
  readonly hasRange: boolean;
}

/** More points than this are not expanded: the remaining conditions are left to the matcher. */
const MAX_POINTS = 4096;
const AFTER = Buffer.from([0xff]);
const EMPTY = Buffer.alloc(0);

/** The stretches of an index that hold every document the conjunction `parts` can match. */
export function indexBounds(fields: readonly KeyField[], parts: readonly Filter[], multikey: boolean): Bounds {
  let prefixes: Buffer[] = [EMPTY];
  let equalFields = 0;
  let pointFields = 0;
  const roots = new Set<string>();
  for (const field of fields) {
    const root = field.path[0] as string;
    // Two fields under one array may be met by different elements of it.
    if (multikey && roots.has(root)) break;
    const conditions = parts.filter((part): part is Condition => 'name' in part && part.name === field.name);
    const points = pointsOf(conditions, field);
    if (points === null || prefixes.length * points.length > MAX_POINTS) {
      const range = rangeOf(conditions, field, multikey);
      if (range === null) break;
      return { ranges: prefixes.map((prefix) => within(prefix, range)), equalFields, pointFields, hasRange: true };
    }
    roots.add(root);
    if (points.length === 1 && equalFields === pointFields) equalFields++;
    pointFields++;
    prefixes = prefixes.flatMap((prefix) => points.map((point) => Buffer.concat([prefix, point])));
  }
  const ranges = prefixes.map((prefix) => ({ from: prefix, to: Buffer.concat([prefix, AFTER]) }));
  return { ranges, equalFields, pointFields, hasRange: false };
}

function within(prefix: Buffer, range: KeyRange): KeyRange {
  return { from: Buffer.concat([prefix, range.from]), to: Buffer.concat([prefix, range.to]) };
}

/** Encoded single values of a field, ascending and distinct; null when it is not held to values. */
function pointsOf(conditions: readonly Condition[], field: KeyField): Buffer[] | null {
  const equal = conditions.find((condition) => condition.kind === 'eq' && isIndexable(condition.value));
  if (equal?.kind === 'eq') return [component(equal.value, field)];
  const member = conditions.find((condition) => condition.kind === 'in' && condition.values.every(isIndexable));
  if (member?.kind !== 'in') return null;
  const points = member.values.map((value) => component(value, field)).sort(Buffer.compare);
  return points.filter((point, index) => index === 0 || !point.equals(points[index - 1] as Buffer));
}

/** Arrays are indexed by their elements, so a whole array is not found by its own encoding. */
function isIndexable(value: Value): boolean {
  return value.type !== BsonType.array;
}

function component(value: Value, field: KeyField): Buffer {
  return new KeyWriter().component(value, field.descending).take();
}

/** An end of an interval over ascending encodings: just before or just after all keys that start with `bytes`. */
interface End {
  readonly bytes: Buffer;
  readonly isAfter: boolean;
}

/** The stretch that a field's orderings leave, for its direction; null when there is none. */
function rangeOf(conditions: readonly Condition[], field: KeyField, multikey: boolean): KeyRange | null {
  let lower: End | null = null;
  let upper: End | null = null;
  let valueClass: number | null = null;
  for (const condition of conditions) {
    const interval = intervalOf(condition);
    // Under one field all orderings must be of one type class, else nothing matches; the matcher sees to that.
    if (interval === null || (valueClass !== null && interval.valueClass !== valueClass)) continue;
    // In an array one element may meet the lower end and another one the upper.
    if (multikey && valueClass !== null) continue;
    valueClass = interval.valueClass;
    if (interval.lower !== null && (lower === null || compareEnds(interval.lower, lower) > 0)) lower = interval.lower;
    if (interval.upper !== null && (upper === null || compareEnds(interval.upper, upper) < 0)) upper = interval.upper;
  }
  if (valueClass === null) return null;
  const low = lower ?? { bytes: Buffer.from([valueClass]), isAfter: false };
  const high = upper ?? { bytes: Buffer.from([valueClass]), isAfter: true };
  const [from, to] = field.descending ? [inverted(high), inverted(low)] : [low, high];
  return { from: position(from), to: position(to) };
}

function intervalOf(condition: Condition): { valueClass: number; lower: End | null; upper: End | null } | null {
  if (condition.kind === 'regex') {
    if (condition.prefix === null || condition.prefix === '' || condition.prefix.includes('\0')) return null;
    const bytes = Buffer.concat([Buffer.from([TypeClass.string]), Buffer.from(condition.prefix, 'utf8')]);
    return { valueClass: TypeClass.string, lower: { bytes, isAfter: false }, upper: { bytes, isAfter: true } };
  }
  if (condition.kind !== 'gt' && condition.kind !== 'gte' && condition.kind !== 'lt' && condition.kind !== 'lte') return null;
  const { value } = condition;
  const valueClass = typeClass(value.type);
  if (value.type === BsonType.null || value.type === BsonType.array) return null;
  if (isNumber(value) && Number.isNaN(toDouble(value))) return null;
  const bytes = encodeKey(value);
  if (condition.kind === 'gt' || condition.kind === 'gte') {
    return { valueClass, lower: { bytes, isAfter: condition.kind === 'gt' }, upper: null };
  }
  return { valueClass, lower: null, upper: { bytes, isAfter: condition.kind === 'lte' } };
}

function compareEnds(a: End, b: End): number {
  return Buffer.compare(position(a), position(b));
}

function inverted(end: End): End {
  return { bytes: Buffer.from(end.bytes.map((byte) => ~byte & 0xff)), isAfter: !end.isAfter };
}

/**
 * As a key. What follows an encoding starts below 0xff; inside a descending text it may be 0xff 0xfe, so two 0xff
 * are after all. After a class byte alone comes any payload: there the next byte is the end.
 */
function position(end: End): Buffer {
  if (!end.isAfter) return end.bytes;
  return end.bytes.length > 1 ? Buffer.concat([end.bytes, AFTER, AFTER]) : Buffer.from([(end.bytes[0] as number) + 1]);
}
