import { BsonType, Fields, fieldOf, fromByteString, type Value } from '../bson/value.ts';
import { badValue, failedToParse } from '../errors.ts';

/** Tests one value of a path; undefined for a missing one. */
export type Visit = (value: Value | undefined) => boolean;

/** Splits a dotted path (a byte string). Throws for empty parts and for parts that start with `$`. */
export function parsePath(name: string): readonly string[] {
  const parts = name.split('.');
  for (const part of parts) {
    if (part === '') throw failedToParse(`the path '${fromByteString(name)}' has an empty field name`);
    if (part.startsWith('$')) throw badValue(`the path '${fromByteString(name)}' has a part with '$'`);
  }
  return parts;
}

/** Throws for a path like `tags.0` that reaches an array; as a document key, a number is allowed. */
export function refuseArrayPosition(part: string): void {
  if (/^\d+$/.test(part)) throw badValue(`array positions in paths are not supported: '${part}'`);
}

/** Calls `visit` with each value of a query path until it returns true; returns whether it did. */
export function visitPath(doc: Value, path: readonly string[], from: number, visit: Visit): boolean {
  let current: Value = doc;
  for (let i = from; i < path.length; i++) {
    const next = fieldOf(current, path[i] as string);
    if (next === undefined) return visit(undefined);
    const isLast = i + 1 === path.length;
    if (next.type === BsonType.array) {
      return isLast ? visitLeafArray(next, visit) : visitElements(next, path, i + 1, visit);
    }
    if (isLast) return visit(next);
    if (next.type !== BsonType.object) return visit(undefined);
    current = next;
  }
  return visit(current);
}

function visitLeafArray(array: Value, visit: Visit): boolean {
  const elements = new Fields(array);
  while (elements.advance()) if (visit(elements.value())) return true;
  return visit(array);
}

function visitElements(array: Value, path: readonly string[], from: number, visit: Visit): boolean {
  refuseArrayPosition(path[from] as string);
  const elements = new Fields(array);
  while (elements.advance()) {
    if (elements.type === BsonType.object && visitPath(elements.value(), path, from, visit)) return true;
  }
  return false;
}
