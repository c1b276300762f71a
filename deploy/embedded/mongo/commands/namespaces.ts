import { documentValue, type Value } from '../bson/value.ts';
import { encodeObject } from '../bson/write.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import { matcherOf } from '../query/matcher.ts';
import { parseFilter } from '../query/parse-filter.ts';
import { checkDatabase, type Args } from './args.ts';
import type { Context, Reply } from './context.ts';
import { rowsOf } from './cursors.ts';

export function create(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  return context.storage.write(() => {
    if (context.catalog.get(ns) !== undefined) throw new MongoFailure(ErrorCode.namespaceExists, `Collection ${ns} already exists.`);
    context.catalog.create(ns);
    return {};
  });
}

export function drop(context: Context, args: Args): Promise<Reply> {
  const { ns } = args;
  return context.storage.write((): Reply => {
    const collection = context.catalog.get(ns);
    if (collection === undefined) return {};
    const nIndexesWas = collection.indexes.length + 1;
    context.catalog.drop(collection);
    return { nIndexesWas, ns };
  });
}

export function dropDatabase(context: Context, args: Args): Promise<Reply> {
  const db = checkDatabase(args.db);
  return context.storage.write(() => {
    for (const collection of context.catalog.ofDatabase(db)) context.catalog.drop(collection);
    return { dropped: db };
  });
}

export function listCollections(context: Context, args: Args): Reply {
  const db = checkDatabase(args.db);
  const isNameOnly = args.flag('nameOnly') === true;
  const docs = context.catalog.ofDatabase(db).map((collection) => {
    const named = { name: collection.ns.slice(db.length + 1), type: 'collection' };
    return encodeObject(isNameOnly ? named : { ...named, options: {}, info: { readOnly: false }, idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } });
  });
  return { cursor: context.cursors.start(`${db}.$cmd.listCollections`, rowsOf(filtered(docs, args.document('filter'))), undefined) };
}

export function listDatabases(context: Context, args: Args): Reply {
  const sizes = new Map<string, number>();
  for (const collection of context.catalog.all()) {
    const db = collection.ns.slice(0, collection.ns.indexOf('.'));
    sizes.set(db, (sizes.get(db) ?? 0) + collection.tally.state.documentBytes);
  }
  const isNameOnly = args.flag('nameOnly') === true;
  const docs = [...sizes].map(([name, bytes]) => encodeObject(isNameOnly ? { name } : { name, sizeOnDisk: bytes, empty: bytes === 0 }));
  return { databases: filtered(docs, args.document('filter')).map(documentValue), ...(isNameOnly ? {} : { totalSize: context.engineStats().fileBytes }) };
}

function filtered(docs: readonly Buffer[], filter: Value | undefined): Buffer[] {
  if (filter === undefined) return [...docs];
  const matches = matcherOf(parseFilter(filter));
  return docs.filter((doc) => matches(documentValue(doc)));
}
