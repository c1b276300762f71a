import { BsonType, documentValue, fieldOf, isNumber, toDouble, type Value } from '../bson/value.ts';
import { DELETE_STATEMENT_FIELDS, UPDATE_STATEMENT_FIELDS } from '../closed-list.ts';
import { ErrorCode, failedToParse, MongoFailure } from '../errors.ts';
import { isTruthy, parseFilter } from '../query/parse-filter.ts';
import type { Collection } from '../storage/collection.ts';
import { parseUpdate, type Update } from '../update/parse-update.ts';
import { refuseOthers, type Args } from './args.ts';
import { writeError, type Context, type Reply } from './context.ts';
import { allHits, firstHit, insertUpsert, updateHit, withId } from './write-documents.ts';
import type { Filter } from '../query/filter.ts';

/** `hello` names it as maxWriteBatchSize. */
export const MAX_BATCH = 100_000;

export function insert(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  const docs = statements(args, 'documents');
  return context.storage.write(() => {
    const collection = context.catalog.get(ns) ?? context.catalog.create(ns);
    let n = 0;
    const writeErrors = eachStatement(docs, args.flag('ordered') !== false, (doc) => {
      collection.insert(withId(context, doc));
      n++;
    });
    return { n, ...(writeErrors.length > 0 ? { writeErrors } : {}) };
  });
}

export function update(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  const updates = statements(args, 'updates');
  return context.storage.write(() => {
    let [n, nModified] = [0, 0];
    const upserted: Reply[] = [];
    const writeErrors = eachStatement(updates, args.flag('ordered') !== false, (statement, index) => {
      const result = runUpdate(context, ns, statement);
      n += result.n;
      nModified += result.nModified;
      if (result.upsertedId !== undefined) upserted.push({ index, _id: result.upsertedId });
    });
    return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...(writeErrors.length > 0 ? { writeErrors } : {}) };
  });
}

export function remove(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  const deletes = statements(args, 'deletes');
  return context.storage.write(() => {
    let n = 0;
    const writeErrors = eachStatement(deletes, args.flag('ordered') !== false, (statement) => {
      n += runDelete(context, ns, statement);
    });
    return { n, ...(writeErrors.length > 0 ? { writeErrors } : {}) };
  });
}

function statements(args: Args, name: string): readonly Value[] {
  const out = args.documents(name);
  if (out.length === 0 || out.length > MAX_BATCH) {
    throw new MongoFailure(ErrorCode.invalidOptions, `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${out.length} operations.`);
  }
  return out;
}

/** Runs statements in order; ordered ones stop at the first failure. Each leaves nothing behind when it fails. */
function eachStatement(all: readonly Value[], isOrdered: boolean, run: (statement: Value, index: number) => void): Reply[] {
  const errors: Reply[] = [];
  for (const [index, statement] of all.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof MongoFailure)) throw error;
      errors.push(writeError(index, error));
      if (isOrdered) break;
    }
  }
  return errors;
}

interface UpdateResult {
  readonly n: number;
  readonly nModified: number;
  readonly upsertedId?: Value;
}

function runUpdate(context: Context, ns: string, statement: Value): UpdateResult {
  refuseOthers(statement, UPDATE_STATEMENT_FIELDS, 'update.updates');
  const change = parseUpdate(required(statement, 'u'));
  const filter = filterOf(statement);
  const isMulti = flagOf(statement, 'multi');
  const isUpsert = flagOf(statement, 'upsert');
  if (isMulti && change.kind === 'replace') throw failedToParse('multi update is not supported for replacement-style update');
  const collection = context.catalog.get(ns);
  const result = collection === undefined ? NOTHING : updateMatches(context, collection, filter, change, isMulti);
  if (result.n > 0 || !isUpsert) return result;
  const doc = insertUpsert(context, collection ?? context.catalog.create(ns), filter, change);
  return { n: 1, nModified: 0, upsertedId: fieldOf(documentValue(doc), '_id') as Value };
}

const NOTHING: UpdateResult = { n: 0, nModified: 0 };

function updateMatches(context: Context, collection: Collection, filter: Filter, change: Update, isMulti: boolean): UpdateResult {
  if (!isMulti) {
    const hit = firstHit(context, collection, filter, []);
    return hit === undefined ? NOTHING : { n: 1, nModified: updateHit(collection, hit, change).isModified ? 1 : 0 };
  }
  let [n, nModified] = [0, 0];
  for (const hit of allHits(context, collection, filter)) {
    n++;
    if (updateHit(collection, hit, change).isModified) nModified++;
  }
  return { n, nModified };
}

function runDelete(context: Context, ns: string, statement: Value): number {
  refuseOthers(statement, DELETE_STATEMENT_FIELDS, 'delete.deletes');
  const limit = required(statement, 'limit');
  const max = isNumber(limit) ? toDouble(limit) : -1;
  if (max !== 0 && max !== 1) throw failedToParse('The limit field in delete objects must be 0 or 1');
  const filter = filterOf(statement);
  const collection = context.catalog.get(ns);
  if (collection === undefined) return 0;
  if (max === 1) {
    const hit = firstHit(context, collection, filter, []);
    if (hit !== undefined) collection.remove(hit.idKey, hit.doc);
    return hit === undefined ? 0 : 1;
  }
  let n = 0;
  for (const hit of allHits(context, collection, filter)) {
    collection.remove(hit.idKey, hit.doc);
    n++;
  }
  return n;
}

function required(statement: Value, name: string): Value {
  const value = fieldOf(statement, name);
  if (value === undefined) throw new MongoFailure(40414, `BSON field '${name}' is missing but a required field`);
  return value;
}

function filterOf(statement: Value): Filter {
  const query = required(statement, 'q');
  if (query.type !== BsonType.object) throw new MongoFailure(ErrorCode.typeMismatch, "BSON field 'q' is the wrong type, expected type 'object'");
  return parseFilter(query);
}

function flagOf(statement: Value, name: string): boolean {
  const value = fieldOf(statement, name);
  return value !== undefined && isTruthy(value);
}
