import { BsonType, Fields, fieldOf, fromByteString, type Value } from '../bson/value.ts';
import { badValue, failedToParse } from '../errors.ts';

const DIGITS = /^\d+$/;

/** Splits a dotted path (a byte string) into its parts. Throws for empty parts and operators in a path. */
export function parsePath(name: string): readonly string[] {
  const parts = name.split('.');
  for (const part of parts) {
    if (part === '') throw failedToParse(`the path '${fromByteString(name)}' has an empty field name`);
    if (part.startsWith('$')) throw badValue(`the path '${fromByteString(name)}' has a part that starts with '$': not served`);
  }
  return parts;
}

/** Places in arrays (`tags.0`) are outside the served list: an object's key of digits is fine, an array's is refused. */
function refuseArrayPlace(part: string): void {
  if (DIGITS.test(part)) throw badValue(`places in arrays are not served in paths: '${part}'`);
}

/** Where a query path leads: calls `visit` with each value, undefined for missing, until it returns true. */
export function visitPath(doc: Value, path: readonly string[], from: number, visit: (value: Value | undefined) => boolean): boolean {
  let current: Value = doc;
  for (let i = from; i < path.length; i++) {
    const next = fieldOf(current, path[i] as string);
    if (next === undefined) return visit(undefined);
    if (next.type === BsonType.array) return i + 1 === path.length ? visitLeafArray(next, visit) : visitElements(next, path, i + 1, visit);
    if (i + 1 === path.length) return visit(next);
    if (next.type !== BsonType.object) return visit(undefined);
    current = next;
  }
  return visit(current);
}

function visitLeafArray(array: Value, visit: (value: Value | undefined) => boolean): boolean {
  const elements = new Fields(array);
  while (elements.advance()) if (visit(elements.value())) return true;
  return visit(array);
}

function visitElements(array: Value, path: readonly string[], from: number, visit: (value: Value | undefined) => boolean): boolean {
  refuseArrayPlace(path[from] as string);
  const elements = new Fields(array);
  while (elements.advance()) {
    if (elements.type === BsonType.object && visitPath(elements.value(), path, from, visit)) return true;
  }
  return false;
}
