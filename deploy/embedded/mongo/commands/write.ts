import { BsonType, documentValue, fieldOf, isNumber, toDouble, type Value } from '../bson/value.ts';
import type { Writable } from '../bson/write.ts';
import { DELETE_STATEMENT_FIELDS, UPDATE_STATEMENT_FIELDS } from '../supported-features.ts';
import { ErrorCode, failedToParse, MongoFailure } from '../errors.ts';
import { parseFilter, type Filter } from '../query/filter.ts';
import { allHits, firstHit } from '../query/hits.ts';
import type { Hit } from '../query/scan.ts';
import type { Collection } from '../storage/collection.ts';
import type { Storage } from '../storage/storage.ts';
import { parseUpdate, type Update } from '../update/parse-update.ts';
import { flagOf, rejectUnknownFields, type Args } from './args.ts';
import type { Action, Context, CommandResponse } from './command.ts';
import { insertUpsert, updateHit, withIdFirst } from './write-documents.ts';

/** `hello` reports it as maxWriteBatchSize. */
export const MAX_BATCH_OPERATIONS = 100_000;

export function insert(args: Args): Action {
  const { ns, isOrdered } = args;
  const docs = statements(args, 'documents');
  return ({ storage, catalog }) => storage.write(() => {
    const collection = catalog.ensure(ns);
    let n = 0;
    const failures = runEach(docs, isOrdered, (doc) => {
      collection.insert(withIdFirst(doc));
      n++;
    });
    return { n, ...failures };
  });
}

export function update(args: Args): Action {
  const { ns, isOrdered } = args;
  const updates = statements(args, 'updates').map(parseUpdateStatement);
  return (context) => context.storage.write(() => {
    let [n, nModified] = [0, 0];
    const upserted: CommandResponse[] = [];
    const failures = runEach(updates, isOrdered, (statement, index) => {
      const result = runUpdate(context, ns, statement);
      n += result.n;
      nModified += result.nModified;
      if (result.upsertedId !== undefined) upserted.push({ index, _id: result.upsertedId });
    });
    return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...failures };
  });
}

export function remove(args: Args): Action {
  const { ns, isOrdered } = args;
  const deletes = statements(args, 'deletes').map(parseDeleteStatement);
  return ({ storage, catalog }) => storage.write(() => {
    const collection = catalog.get(ns);
    if (collection === undefined) return { n: 0 };
    let n = 0;
    const failures = runEach(deletes, isOrdered, ({ filter, isMulti }) => {
      for (const hit of chosenHits(storage, collection, filter, isMulti)) {
        collection.remove(hit.idKey, hit.doc);
        n++;
      }
    });
    return { n, ...failures };
  });
}

function statements(args: Args, name: string): readonly Value[] {
  const out = args.documents(name);
  if (out.length > 0 && out.length <= MAX_BATCH_OPERATIONS) return out;
  const message = `a write takes 1 to ${MAX_BATCH_OPERATIONS} operations, not ${out.length}`;
  throw new MongoFailure(ErrorCode.invalidOptions, message);
}

/**
 * Runs statements in order, up to the first failure if `isOrdered`, and reports failures as `writeErrors`. A
 * failed statement must have no effect.
 */
function runEach<T>(
  all: readonly T[], isOrdered: boolean, run: (statement: T, index: number) => void,
): CommandResponse {
  const writeErrors: Writable[] = [];
  for (const [index, statement] of all.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof MongoFailure)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message });
      if (isOrdered) break;
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}

interface UpdateStatement {
  readonly filter: Filter;
  readonly change: Update;
  readonly isMulti: boolean;
  readonly isUpsert: boolean;
}

function parseUpdateStatement(statement: Value): UpdateStatement {
  rejectUnknownFields(statement, UPDATE_STATEMENT_FIELDS, 'update.updates');
  const change = parseUpdate(required(statement, 'u'));
  const isMulti = flagOf(fieldOf(statement, 'multi'));
  if (isMulti && change.kind === 'replace') throw failedToParse('a replacement is for one document');
  return { filter: filterOf(statement), change, isMulti, isUpsert: flagOf(fieldOf(statement, 'upsert')) };
}

function parseDeleteStatement(statement: Value): { filter: Filter; isMulti: boolean } {
  rejectUnknownFields(statement, DELETE_STATEMENT_FIELDS, 'delete.deletes');
  const limit = required(statement, 'limit');
  const max = isNumber(limit) ? toDouble(limit) : -1;
  if (max !== 0 && max !== 1) throw failedToParse('the limit of a delete must be 0 or 1');
  return { filter: filterOf(statement), isMulti: max === 0 };
}

function required(statement: Value, name: string): Value {
  const value = fieldOf(statement, name);
  if (value !== undefined) return value;
  throw new MongoFailure(ErrorCode.missingField, `BSON field '${name}' is missing but a required field`);
}

function filterOf(statement: Value): Filter {
  const query = required(statement, 'q');
  if (query.type === BsonType.object) return parseFilter(query);
  throw new MongoFailure(ErrorCode.typeMismatch, "BSON field 'q' is the wrong type, expected type 'object'");
}

function runUpdate(
  { storage, catalog }: Context, ns: string, statement: UpdateStatement,
): { n: number; nModified: number; upsertedId?: Value | undefined } {
  const { filter, change, isMulti, isUpsert } = statement;
  const collection = catalog.get(ns);
  let [n, nModified] = [0, 0];
  if (collection !== undefined) {
    for (const hit of chosenHits(storage, collection, filter, isMulti)) {
      n++;
      if (updateHit(collection, hit, change).isModified) nModified++;
    }
  }
  if (n > 0 || !isUpsert) return { n, nModified };
  const doc = insertUpsert(catalog.ensure(ns), filter, change);
  return { n: 1, nModified: 0, upsertedId: fieldOf(documentValue(doc), '_id') };
}

function chosenHits(
  storage: Storage, collection: Collection, filter: Filter, isMulti: boolean,
): Iterable<Hit> {
  if (isMulti) return allHits(storage, collection, filter);
  const hit = firstHit(storage, collection, filter);
  return hit === undefined ? [] : [hit];
}
