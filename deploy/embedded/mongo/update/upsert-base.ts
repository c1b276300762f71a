import { BsonType, fromByteString, type Value } from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import { conjuncts, type Filter } from '../query/filter.ts';
import { Branch, branchAt, writeBranch } from './tree.ts';

/**
 * The document an upsert starts from: the fields that the filter holds to one value. For a replacement only `_id`.
 * Throws NotSingleValueField when two conditions speak of one field.
 */
export function upsertBase(filter: Filter, isReplacement: boolean): Buffer {
  const root = new Branch(BsonType.object);
  for (const part of conjuncts(filter)) {
    const held = heldValue(part);
    if (held === null || (isReplacement && held.path[0] !== '_id')) continue;
    if (held.path[0] === '_id' && held.path.length > 1) {
      throw new MongoFailure(ErrorCode.notSingleValue, "a condition on a part of '_id' cannot start a document");
    }
    place(root, held.path, held.value);
  }
  const writer = new BsonWriter();
  writeBranch(root, writer, '_id');
  return writer.finish();
}

function heldValue(part: Filter): { path: readonly string[]; value: Value } | null {
  if (part.kind === 'eq') return { path: part.path, value: part.value };
  if (part.kind === 'in' && part.values.length === 1) return { path: part.path, value: part.values[0] as Value };
  if (part.kind === 'or' && part.of.length === 1) return heldValue(part.of[0] as Filter);
  return null;
}

function place(root: Branch, path: readonly string[], value: Value): void {
  let parent = root;
  for (const part of path.slice(0, -1)) {
    const existing = parent.members.get(part);
    const child = existing instanceof Branch ? existing : existing === undefined ? new Branch(BsonType.object) : branchAt(parent, part);
    if (child === null || (existing !== undefined && !(existing instanceof Branch))) throw twice(path);
    parent.members.set(part, child);
    parent = child;
  }
  const last = path[path.length - 1] as string;
  if (parent.members.has(last)) throw twice(path);
  parent.members.set(last, value);
}

function twice(path: readonly string[]): MongoFailure {
  const name = fromByteString(path.join('.'));
  return new MongoFailure(ErrorCode.notSingleValue, `cannot infer query fields to set, path '${name}' is matched twice`);
}
