import { BsonType, stringOf } from '../bson/value.ts';
import type { KeyField } from '../keys/index-keys.ts';
import type { Filter } from '../query/filter.ts';
import { findHits } from '../query/hits.ts';
import { parseProjection, type Projection } from '../query/projection.ts';
import { parsePattern, Sorter } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Args } from './args.ts';
import type { Action, Context } from './command.ts';
import { rowsOf, type Rows } from './cursors.ts';

interface Search {
  readonly filter: Filter;
  readonly sort: readonly KeyField[];
  readonly projection: Projection | null;
  readonly skip: number;
  /** 0: no limit. */
  readonly limit: number;
  /** Name of the index to use. */
  readonly hint: string | null;
}

export function find(args: Args): Action {
  const { ns } = args;
  const sort = args.document('sort');
  const projection = args.document('projection');
  const search: Search = {
    filter: args.filter('filter'),
    sort: sort === undefined ? [] : parsePattern(sort),
    projection: projection === undefined ? null : parseProjection(projection),
    skip: args.count('skip') ?? 0,
    limit: args.count('limit') ?? 0,
    hint: parseHint(args),
  };
  const batchSize = args.count('batchSize');
  const isSingle = args.flag('singleBatch');
  return (context) => {
    const collection = context.catalog.get(ns);
    const rows = collection === undefined ? rowsOf([]) : searchRows(context, collection, search);
    return { cursor: context.cursors.start(ns, rows, batchSize, isSingle) };
  };
}

function parseHint(args: Args): string | null {
  const value = args.value('hint');
  if (value === undefined) return null;
  if (value.type !== BsonType.string) throw args.wrongType('hint', 'string');
  return stringOf(value);
}

/** The documents of a search in order and projected, without the skipped ones. */
function searchRows(context: Context, collection: Collection, search: Search): Rows {
  const { filter, sort, skip, limit, projection } = search;
  const hits = findHits(context.storage, collection, filter, search);
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
