import { BsonType, stringOf } from '../bson/value.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import type { KeyField } from '../keys/index-keys.ts';
import type { Filter } from '../query/filter.ts';
import { findHits } from '../query/hits.ts';
import { parseFilter } from '../query/parse-filter.ts';
import { findHint, type Hint } from '../query/plan.ts';
import { parseProjection, type Projection } from '../query/projection.ts';
import { parsePattern, Sorter } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Args } from './args.ts';
import type { Context, Reply } from './context.ts';
import { rowsOf, type Rows } from './cursors.ts';

export const EVERYTHING: Filter = { kind: 'and', of: [] };

export interface Search {
  readonly filter: Filter;
  readonly sort: readonly KeyField[];
  readonly projection: Projection | null;
  readonly skip: number;
  /** 0: no limit. */
  readonly limit: number;
  readonly hint: Hint | null;
  readonly checkDeadline: (() => void) | undefined;
}

export function find(context: Context, args: Args): Reply {
  const { ns } = args;
  const collection = context.catalog.get(ns);
  const search = parseSearch(context, args, collection);
  const rows = collection === undefined ? rowsOf([]) : searchRows(context, collection, search);
  return { cursor: context.cursors.start(ns, rows, args.count('batchSize'), args.flag('singleBatch') === true) };
}

export function parseSearch(context: Context, args: Args, collection: Collection | undefined): Search {
  const sort = args.document('sort');
  const filter = args.document('filter');
  return {
    filter: filter === undefined ? EVERYTHING : parseFilter(filter),
    sort: sort === undefined ? [] : parsePattern(sort, 'sort'),
    projection: parseProjection(args.document('projection')),
    skip: args.count('skip') ?? 0,
    limit: args.count('limit') ?? 0,
    hint: parseHint(args, collection),
    checkDeadline: deadline(context, args),
  };
}

export function parseHint(args: Args, collection: Collection | undefined): Hint | null {
  const value = args.value('hint');
  if (value === undefined) return null;
  if (value.type === BsonType.string) return findHint(collection, stringOf(value), null);
  if (value.type !== BsonType.object) throw badValue('hint must be either a string or nested object');
  return value.end - value.at === 5 ? null : findHint(collection, null, parsePattern(value, 'hint'));
}

/** Throws MaxTimeMSExpired once `maxTimeMS` is over; undefined without one. */
export function deadline(context: Context, args: Args): (() => void) | undefined {
  const maxTimeMs = args.count('maxTimeMS') ?? 0;
  if (maxTimeMs === 0) return undefined;
  const end = context.clock.monotonic() + maxTimeMs;
  return () => {
    if (context.clock.monotonic() > end) throw new MongoFailure(ErrorCode.maxTimeExpired, 'operation exceeded time limit');
  };
}

/** The documents of a search, projected, in order, without those skipped. */
export function searchRows(context: Context, collection: Collection, search: Search): Rows {
  const { sort, skip, limit, projection } = search;
  const hits = findHits(context.storage, collection, search.filter, search);
  let source: Rows = { next: () => hits.next()?.doc, pause: () => hits.pause() };
  if (!hits.isSorted) {
    const sorter = new Sorter(sort, limit === 0 ? 0 : skip + limit);
    for (let doc = source.next(); doc !== undefined; doc = source.next()) sorter.add(doc);
    source.pause();
    source = rowsOf(sorter.finish());
  }
  let toSkip = hits.isSorted && skip > 0 && hits.skip(skip) ? 0 : skip;
  let left = limit === 0 ? Infinity : limit;
  const next = (): Buffer | undefined => {
    if (left === 0) return undefined;
    for (; toSkip > 0; toSkip--) if (source.next() === undefined) return undefined;
    const doc = source.next();
    if (doc === undefined) return undefined;
    left--;
    return projection === null ? doc : projection(doc);
  };
  return { next, pause: () => source.pause() };
}
