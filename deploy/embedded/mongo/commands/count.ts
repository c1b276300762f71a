import { BsonType, elementsOf, fieldOf, type Value } from '../bson/value.ts';
import { encodeObject } from '../bson/write.ts';
import { badValue } from '../errors.ts';
import { parseFilter, type Filter } from '../query/filter.ts';
import { findHits } from '../query/hits.ts';
import type { Args } from './args.ts';
import type { Action } from './command.ts';

/** The stage that the driver sends after `$match` to count documents. */
const COUNT = encodeObject({ $group: { _id: 1, n: { $sum: 1 } } });

/** `aggregate`, as the driver sends it for `countDocuments`. */
export function countDocuments(args: Args): Action {
  const { ns } = args;
  const filter = parsePipeline(args.documents('pipeline'));
  const cursor = args.document('cursor');
  if (cursor === undefined || elementsOf(cursor).length > 0) throw badValue('cursor must be empty');
  return ({ storage, catalog }) => {
    const collection = catalog.get(ns);
    let n = 0;
    if (collection !== undefined) {
      const hits = findHits(storage, collection, filter);
      while (hits.next() !== undefined) n++;
    }
    const firstBatch = n === 0 ? [] : [{ _id: 1, n }];
    return { cursor: { firstBatch, id: 0n, ns } };
  };
}

function parsePipeline([match, group, ...others]: readonly Value[]): Filter {
  const filter = match === undefined ? undefined : fieldOf(match, '$match');
  const isCount = group !== undefined && group.buf.subarray(group.at, group.end).equals(COUNT);
  if (filter?.type !== BsonType.object || !isCount || others.length > 0) {
    throw badValue('aggregate serves countDocuments only: $match, then $group by 1 with $sum of 1');
  }
  return parseFilter(filter);
}
