import { BsonType, documentValue, elementsOf, fieldOf, Fields, fromByteString, stringOf, type Value } from '../bson/value.ts';
import { INDEX_OPTIONS } from '../closed-list.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import type { KeyField } from '../keys/index-keys.ts';
import { isTruthy } from '../query/parse-filter.ts';
import { samePattern } from '../query/plan.ts';
import { parsePattern } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index, IndexSpec } from '../storage/index.ts';
import type { Args } from './args.ts';
import type { Context, Reply } from './context.ts';
import { encodeObject } from '../bson/write.ts';
import { rowsOf } from './cursors.ts';

const MAX_INDEXES = 64;
const MAX_FIELDS = 32;

type Wanted = Omit<IndexSpec, 'table'>;

export function createIndexes(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  const wanted = args.documents('indexes').map(parseIndex);
  if (wanted.length === 0) throw badValue('Must specify at least one index to create');
  return context.storage.write(() => {
    const existing = context.catalog.get(ns);
    const collection = existing ?? context.catalog.create(ns);
    const numIndexesBefore = collection.indexes.length + 1;
    const missing = wanted.filter((spec) => !isThere(collection, spec));
    for (const spec of missing) addIndex(context, collection, spec);
    const note = missing.length === 0 ? { note: 'all indexes already exist' } : {};
    return { numIndexesBefore, numIndexesAfter: collection.indexes.length + 1, createdCollectionAutomatically: existing === undefined, ...note };
  });
}

function addIndex(context: Context, collection: Collection, spec: Wanted): void {
  if (collection.indexes.length + 1 >= MAX_INDEXES) throw new MongoFailure(ErrorCode.cannotCreateIndex, 'add index fails, too many indexes');
  if (!isThere(collection, spec)) context.catalog.addIndex(collection, spec);
}

function parseIndex(doc: Value): Wanted {
  const fields = new Fields(doc);
  while (fields.advance()) {
    if (!INDEX_OPTIONS.has(fields.name)) {
      throw new MongoFailure(ErrorCode.invalidIndexOption, `The field '${fromByteString(fields.name)}' is not valid for an index specification, or not served by the embedded store`);
    }
  }
  const key = fieldOf(doc, 'key');
  const name = fieldOf(doc, 'name');
  if (key?.type !== BsonType.object) throw new MongoFailure(9, "The 'key' field is a required property of an index specification");
  if (name?.type !== BsonType.string || stringOf(name) === '') throw new MongoFailure(9, "The 'name' field is a required property of an index specification");
  const pattern = parseIndexPattern(key);
  return {
    name: stringOf(name),
    fields: pattern,
    pattern: Buffer.from(key.buf.subarray(key.at, key.end)),
    unique: flag(doc, 'unique'),
    sparse: flag(doc, 'sparse'),
  };
}

function parseIndexPattern(key: Value): KeyField[] {
  let pattern: KeyField[];
  try {
    pattern = parsePattern(key, 'index key');
  } catch (error) {
    throw error instanceof MongoFailure ? new MongoFailure(ErrorCode.cannotCreateIndex, error.message) : error;
  }
  if (pattern.length === 0) throw new MongoFailure(ErrorCode.cannotCreateIndex, 'Index keys cannot be empty.');
  if (pattern.length > MAX_FIELDS) throw new MongoFailure(ErrorCode.cannotCreateIndex, `an index has at most ${MAX_FIELDS} fields`);
  for (const field of pattern) {
    const isPlace = field.path.some((part) => /^\d+$/.test(part));
    if (isPlace || field.name.startsWith('$')) throw new MongoFailure(ErrorCode.cannotCreateIndex, `the index field '${fromByteString(field.name)}' is not served`);
  }
  if (new Set(pattern.map((field) => field.name)).size < pattern.length) throw new MongoFailure(ErrorCode.cannotCreateIndex, 'a field occurs twice in the index');
  return pattern;
}

function flag(doc: Value, name: string): boolean {
  const value = fieldOf(doc, name);
  return value !== undefined && isTruthy(value);
}

/** Whether the very same index exists. Throws where the name or the pattern is taken by a different one. */
function isThere(collection: Collection, spec: Wanted): boolean {
  if (isIdPattern(spec.fields)) {
    if (spec.name !== '_id_' && spec.name !== '_id_1') throw badValue("the index on '_id' is named _id_");
    return true;
  }
  const sameName = collection.indexes.find((index) => index.name === spec.name);
  const same = collection.indexes.find((index) => samePattern(index.fields, spec.fields));
  if (sameName !== undefined && !samePattern(sameName.fields, spec.fields)) {
    throw new MongoFailure(ErrorCode.indexKeySpecsConflict, `An existing index has the same name as the requested index: ${spec.name}`);
  }
  if (same === undefined) return false;
  if (same.name !== spec.name) throw new MongoFailure(ErrorCode.indexOptionsConflict, `Index already exists with a different name: ${same.name}`);
  if (same.unique !== spec.unique || same.sparse !== spec.sparse) {
    const what = 'An equivalent index already exists with the same name but different options';
    throw new MongoFailure(ErrorCode.indexKeySpecsConflict, `${what}. Requested index: ${spec.name}`);
  }
  return true;
}

function isIdPattern(fields: readonly KeyField[]): boolean {
  return fields.length === 1 && fields[0]?.name === '_id';
}

export function listIndexes(context: Context, args: Args): Reply {
  const { ns } = args;
  const collection = context.catalog.get(ns);
  if (collection === undefined) throw new MongoFailure(ErrorCode.namespaceNotFound, `ns does not exist: ${ns}`);
  const docs = [encodeObject({ v: 2, key: { _id: 1 }, name: '_id_' }), ...collection.indexes.map(describe)];
  return { cursor: context.cursors.start(ns, rowsOf(docs), undefined) };
}

function describe(index: Index): Buffer {
  return encodeObject({
    v: 2,
    key: documentValue(index.pattern),
    name: index.name,
    ...(index.unique ? { unique: true } : {}),
    ...(index.sparse ? { sparse: true } : {}),
  });
}

export function dropIndexes(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  const which = args.value('index');
  return context.storage.write(() => {
    const collection = context.catalog.get(ns);
    if (collection === undefined) throw new MongoFailure(ErrorCode.namespaceNotFound, `ns not found ${ns}`);
    const nIndexesWas = collection.indexes.length + 1;
    for (const index of chosen(collection, which)) context.catalog.dropIndex(collection, index);
    return { nIndexesWas };
  });
}

function chosen(collection: Collection, which: Value | undefined): Index[] {
  if (which?.type === BsonType.string) {
    const name = stringOf(which);
    return name === '*' ? [...collection.indexes] : [indexNamed(collection, name)];
  }
  if (which?.type === BsonType.array) {
    return elementsOf(which).map((name) => indexNamed(collection, name.type === BsonType.string ? stringOf(name) : ''));
  }
  if (which?.type !== BsonType.object) throw new MongoFailure(ErrorCode.typeMismatch, "BSON field 'dropIndexes.index' is the wrong type");
  const pattern = parsePattern(which, 'index key');
  const index = collection.indexes.find((candidate) => samePattern(candidate.fields, pattern));
  if (isIdPattern(pattern)) throw new MongoFailure(ErrorCode.invalidOptions, 'cannot drop _id index');
  if (index === undefined) throw new MongoFailure(ErrorCode.indexNotFound, "can't find index with key");
  return [index];
}

function indexNamed(collection: Collection, name: string): Index {
  if (name === '_id_') throw new MongoFailure(ErrorCode.invalidOptions, 'cannot drop _id index');
  const index = collection.indexes.find((candidate) => candidate.name === name);
  if (index === undefined) throw new MongoFailure(ErrorCode.indexNotFound, `index not found with name [${name}]`);
  return index;
}
