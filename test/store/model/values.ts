import { Binary, Long, ObjectId } from 'mongodb';

/** Stands for a missing field. */
export const MISSING = Symbol('missing');

export type Doc = { [name: string]: unknown };

export function isDoc(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null &&
    (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
}

/** The manual's "Comparison/Sort Order" for the supported types. */
function rank(value: unknown): number {
  if (value === MISSING || value === null) return 1;
  if (typeof value === 'number' || value instanceof Long) return 2;
  if (typeof value === 'string') return 3;
  if (isDoc(value)) return 4;
  if (Array.isArray(value)) return 5;
  if (value instanceof Binary) return 6;
  if (value instanceof ObjectId) return 7;
  if (typeof value === 'boolean') return 8;
  if (value instanceof Date) return 9;
  throw new Error(`no rank for ${String(value)}`);
}

export function compare(a: unknown, b: unknown): number {
  const byRank = rank(a) - rank(b);
  if (byRank !== 0) return byRank;
  switch (rank(a)) {
    case 1:
      return 0;
    case 2:
      return compareNumbers(a as number | Long, b as number | Long);
    case 3:
      return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
    case 4:
      return compareDocs(a as Doc, b as Doc);
    case 5:
      return compareLists(a as unknown[], b as unknown[]);
    case 6:
      return compareBinary(a as Binary, b as Binary);
    case 7:
      return Buffer.compare(Buffer.from((a as ObjectId).id), Buffer.from((b as ObjectId).id));
    case 8:
      return Number(a) - Number(b);
    default:
      return (a as Date).getTime() - (b as Date).getTime();
  }
}

function compareNumbers(a: number | Long, b: number | Long): number {
  if (a instanceof Long || b instanceof Long) {
    // These tests compare Longs with whole numbers only.
    const [x, y] = [BigInt(String(a)), BigInt(String(b))];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareDocs(a: Doc, b: Doc): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [[aName, aValue], [bName, bValue]] = [left[i]!, right[i]!];
    const order = rank(aValue) - rank(bValue) || Buffer.compare(Buffer.from(aName), Buffer.from(bName)) ||
      compare(aValue, bValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compare(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareBinary(a: Binary, b: Binary): number {
  return a.position - b.position || a.sub_type - b.sub_type ||
    Buffer.compare(Buffer.from(a.value()), Buffer.from(b.value()));
}

/** True when an ordering operator compares the two: it does so within one type only. */
export function isSameType(a: unknown, b: unknown): boolean {
  return rank(a) === rank(b);
}

/**
 * The values that a query on `path` tests: it enters arrays once, and tests one at the end with its elements.
 */
export function reach(value: unknown, path: readonly string[]): unknown[] {
  const [part, ...rest] = path;
  if (part === undefined) return Array.isArray(value) ? [...(value as unknown[]), value] : [value];
  if (!isDoc(value) || !Object.hasOwn(value, part)) return [MISSING];
  const next = value[part];
  if (!Array.isArray(next) || rest.length === 0) return reach(next, rest);
  return (next as unknown[]).filter(isDoc).flatMap((element) => reach(element, rest));
}

/** The values that an index on `path` holds; undefined stands for an empty array, which sorts below null. */
export function indexed(value: unknown, path: readonly string[]): unknown[] {
  const [part, ...rest] = path;
  if (part === undefined) {
    if (!Array.isArray(value)) return [value];
    return value.length === 0 ? [undefined] : (value as unknown[]);
  }
  if (Array.isArray(value)) {
    const found =
      (value as unknown[]).flatMap((element) => (isDoc(element) ? indexed(element, path) : [MISSING]));
    return found.length === 0 ? [MISSING] : found;
  }
  if (!isDoc(value) || !Object.hasOwn(value, part)) return [MISSING];
  return indexed(value[part], rest);
}

export function compareIndexed(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(b === undefined) - Number(a === undefined) || 0;
  return compare(a, b);
}
