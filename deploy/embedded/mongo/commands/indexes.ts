import { BsonType, fieldOf, Fields, fromByteString, stringOf, type Value } from '../bson/value.ts';
import { INDEX_OPTIONS } from '../supported-features.ts';
import { badValue, ErrorCode, failedToParse, MongoFailure } from '../errors.ts';
import type { KeyField } from '../keys/index-keys.ts';
import { parsePattern } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { IndexSpec } from '../storage/index.ts';
import { flagOf, type Args } from './args.ts';
import type { Action } from './command.ts';

const MAX_INDEXES = 64;
const MAX_FIELDS = 32;

export function createIndexes(args: Args): Action {
  const { ns } = args;
  const wanted = args.documents('indexes').map(parseIndex);
  if (wanted.length === 0) throw badValue('Must specify at least one index to create');
  return ({ storage, catalog }) => storage.write(() => {
    const createdCollectionAutomatically = catalog.get(ns) === undefined;
    const collection = catalog.ensure(ns);
    const numIndexesBefore = collection.indexes.length + 1;
    for (const spec of wanted) if (!exists(collection, spec)) catalog.addIndex(collection, spec);
    const numIndexesAfter = collection.indexes.length + 1;
    if (numIndexesAfter > MAX_INDEXES) throw cannotCreate(`a collection has at most ${MAX_INDEXES} indexes`);
    return { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically };
  });
}

function parseIndex(doc: Value): IndexSpec {
  const options = new Fields(doc);
  while (options.advance()) {
    if (INDEX_OPTIONS.has(options.name)) continue;
    const message = `the index option '${fromByteString(options.name)}' is unknown or not supported`;
    throw new MongoFailure(ErrorCode.invalidIndexOption, message);
  }
  const key = fieldOf(doc, 'key');
  const name = fieldOf(doc, 'name');
  if (key?.type !== BsonType.object) throw failedToParse("an index needs a 'key'");
  if (name?.type !== BsonType.string || stringOf(name) === '') throw failedToParse("an index needs a 'name'");
  return {
    name: stringOf(name),
    fields: parseKey(key),
    unique: flagOf(fieldOf(doc, 'unique')),
    sparse: flagOf(fieldOf(doc, 'sparse')),
  };
}

function parseKey(key: Value): readonly KeyField[] {
  let fields: readonly KeyField[];
  try {
    fields = parsePattern(key);
  } catch (error) {
    throw error instanceof MongoFailure ? cannotCreate(error.message) : error;
  }
  const names = new Set(fields.map(({ name }) => name));
  if (names.size < fields.length) throw cannotCreate('a field occurs twice');
  if (names.size === 0 || names.size > MAX_FIELDS) throw cannotCreate(`not 1 to ${MAX_FIELDS} fields`);
  if (fields.some(({ path }) => path.some((part) => /^\d+$/.test(part)))) {
    throw cannotCreate('array positions are not supported');
  }
  return fields;
}

function cannotCreate(message: string): MongoFailure {
  return new MongoFailure(ErrorCode.cannotCreateIndex, `cannot create the index: ${message}`);
}

/** Whether an identical index exists. Throws if a different index has the same name or fields. */
function exists({ indexes }: Collection, spec: IndexSpec): boolean {
  const sameFields = indexes.find((index) => haveSameFields(index, spec));
  if (indexes.some((index) => index.name === spec.name && index !== sameFields)) {
    throw new MongoFailure(ErrorCode.indexKeySpecsConflict, `another index has the name ${spec.name}`);
  }
  if (sameFields === undefined) return false;
  const { name, unique, sparse } = sameFields;
  if (name !== spec.name) {
    throw new MongoFailure(ErrorCode.indexOptionsConflict, `the index exists with a different name: ${name}`);
  }
  if (unique !== spec.unique || sparse !== spec.sparse) {
    throw new MongoFailure(ErrorCode.indexKeySpecsConflict, `the index ${name} exists with other options`);
  }
  return true;
}

function haveSameFields(a: IndexSpec, b: IndexSpec): boolean {
  const directionOf = ({ name, descending }: KeyField) => `${descending ? '-' : '+'}${name}`;
  return a.fields.map(directionOf).join('\0') === b.fields.map(directionOf).join('\0');
}
