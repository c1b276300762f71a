import { BsonType, Fields, isNumber, toDouble, type Value } from './value.ts';

/** Type class of an empty array in an index: it sorts below null (manual: "Comparison/Sort Order"). */
export const EMPTY_ARRAY_CLASS = 0x03;
export const NULL_CLASS = 0x05;
const CLASSES: Readonly<Record<number, number>> = {
  [BsonType.int32]: 0x10, [BsonType.double]: 0x10, [BsonType.int64]: 0x10, [BsonType.string]: 0x15,
  [BsonType.object]: 0x20, [BsonType.array]: 0x25, [BsonType.binary]: 0x30, [BsonType.objectId]: 0x35,
  [BsonType.boolean]: 0x40, [BsonType.date]: 0x45,
};

/** Rank of a value's type in MongoDB's comparison order; values of one class compare by value. */
export function typeClass(type: number): number {
  return CLASSES[type] ?? NULL_CLASS;
}

/**
 * Compares in MongoDB's order across all supported types: negative, 0 or positive. NaN equals itself and is
 * the smallest number.
 */
export function compareValues(a: Value, b: Value): number {
  const byClass = typeClass(a.type) - typeClass(b.type);
  return byClass !== 0 ? byClass : compareSameClass(a, b);
}

function compareSameClass(a: Value, b: Value): number {
  switch (a.type) {
    case BsonType.null:
      return 0;
    case BsonType.string:
      return a.buf.compare(b.buf, b.at + 4, b.end, a.at + 4, a.end);
    case BsonType.object:
    case BsonType.array:
      return compareDocuments(a, b);
    case BsonType.binary:
      return a.buf.readInt32LE(a.at) - b.buf.readInt32LE(b.at)
        || a.buf.compare(b.buf, b.at + 4, b.end, a.at + 4, a.end);
    case BsonType.date:
      return compareBigInts(a.buf.readBigInt64LE(a.at), b.buf.readBigInt64LE(b.at));
    case BsonType.objectId:
    case BsonType.boolean:
      return a.buf.compare(b.buf, b.at, b.end, a.at, a.end);
    default:
      return compareNumbers(a, b);
  }
}

function compareDocuments(a: Value, b: Value): number {
  const left = new Fields(a);
  const right = new Fields(b);
  for (;;) {
    const hasLeft = left.advance();
    const hasRight = right.advance();
    if (!hasLeft || !hasRight) return Number(hasLeft) - Number(hasRight);
    const byClass = typeClass(left.type) - typeClass(right.type);
    if (byClass !== 0) return byClass;
    if (a.type === BsonType.object) {
      const byName = left.buf.compare(right.buf, right.nameAt, right.nameEnd, left.nameAt, left.nameEnd);
      if (byName !== 0) return byName;
    }
    const byValue = compareSameClass(left.value(), right.value());
    if (byValue !== 0) return byValue;
  }
}

function compareNumbers(a: Value, b: Value): number {
  const x = toDouble(a);
  const y = toDouble(b);
  if (x < y) return -1;
  if (x > y) return 1;
  if (x !== y) return Number(Number.isNaN(y)) - Number(Number.isNaN(x));
  if (a.type !== BsonType.int64 && b.type !== BsonType.int64) return 0;
  if (!Number.isFinite(x) || Math.abs(x) < 2 ** 53) return 0;
  return compareBigInts(exactInteger(a), exactInteger(b));
}

function exactInteger(value: Value): bigint {
  return value.type === BsonType.int64 ? value.buf.readBigInt64LE(value.at) : BigInt(toDouble(value));
}

function compareBigInts(x: bigint, y: bigint): number {
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Equality in queries: 1, 1.0 and Long(1) are equal; documents must also agree in field order. */
export function equalValues(a: Value, b: Value): boolean {
  if (a.type !== b.type && !(isNumber(a) && isNumber(b))) return false;
  return compareSameClass(a, b) === 0;
}
