import { BsonType, fromByteString, type Value } from '../bson/value.ts';
import { BsonWriter } from '../bson/write.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { conjuncts, type Filter } from '../query/filter.ts';
import { Branch, writeBranch } from './tree.ts';

/**
 * The initial document of an upsert: the fields that the filter fixes to one value; for a replacement only
 * `_id`. Throws NotSingleValueField if two conditions fix one field, BadValue for a dotted path.
 */
export function upsertBase(filter: Filter, isReplacement: boolean): Buffer {
  const root = new Branch(BsonType.object);
  for (const part of conjuncts(filter)) {
    const value = fixedValue(part);
    if (value === null || !('name' in part) || (isReplacement && part.name !== '_id')) continue;
    const name = fromByteString(part.name);
    if (part.path.length > 1) throw badValue(`upsert: the path '${name}' is not supported in the filter`);
    if (root.members.has(part.name)) {
      throw new MongoFailure(ErrorCode.notSingleValue, `upsert: the filter names '${name}' twice`);
    }
    root.members.set(part.name, value);
  }
  const writer = new BsonWriter();
  writeBranch(root, writer, '_id');
  return writer.finish();
}

function fixedValue(part: Filter): Value | null {
  if (part.kind === 'eq') return part.value;
  return part.kind === 'in' && part.values.length === 1 ? (part.values[0] as Value) : null;
}
