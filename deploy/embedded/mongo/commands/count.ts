import { BsonType, documentValue, elementsOf, fieldOf, isNumber, toDouble, type Value } from '../bson/value.ts';
import { encodeObject } from '../bson/write.ts';
import { badValue } from '../errors.ts';
import { parseFilter, type Filter } from '../query/filter.ts';
import { findHits, type Hits } from '../query/hits.ts';
import type { Args } from './args.ts';
import type { Action } from './command.ts';

const countBy = (id: string | number) => encodeObject({ $group: { _id: id, n: { $sum: 1 } } });

/** The stage that the driver sends after `$match` to count documents. */
const COUNT = countBy(1);
const FIELD = /^\$[a-z_]{1,64}$/;

/** `aggregate` as sent by the driver for `countDocuments`, or to count by a string field. */
export function countDocuments(args: Args): Action {
  const { ns } = args;
  const { filter, limit, by } = parsePipeline(args.documents('pipeline'));
  const cursor = args.document('cursor');
  if (cursor === undefined || elementsOf(cursor).length > 0) throw badValue('cursor must be empty');
  return ({ storage, catalog }) => {
    const collection = catalog.get(ns);
    const counts = collection === undefined ? [] : countsOf(findHits(storage, collection, filter), by, limit);
    const firstBatch = counts.map(([_id, n]) => ({ _id, n }));
    return { cursor: { firstBatch, id: 0n, ns } };
  };
}

/** Counts by the values of that field, or all together as 1; omits zero counts. */
function countsOf(hits: Hits, by: string | null, limit: number): [id: string | number, n: number][] {
  if (by === null) {
    const n = hits.count(limit);
    return n === 0 ? [] : [[1, n]];
  }
  const counts = new Map<string, number>();
  for (const { doc, count } of hits.groups(by)) {
    const id = textOf(fieldOf(documentValue(doc), by));
    counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return [...counts];
}

/** `by` is the field to count by; null to count all together, up to `limit`. */
function parsePipeline(
  [match, ...stages]: readonly Value[],
): { filter: Filter; limit: number; by: string | null } {
  const filter = match === undefined ? undefined : fieldOf(match, '$match');
  const limit = stages.length === 2 ? limitOf(stages.shift() as Value) : Infinity;
  const [group, ...others] = stages;
  const by = group === undefined ? undefined : countedBy(group);
  const isLimited = limit !== null && (limit === Infinity || by === null);
  if (filter?.type !== BsonType.object || by === undefined || others.length > 0 || !isLimited) {
    const only = '$match, then $group by 1, possibly after $limit, or by a field, with $sum of 1';
    throw badValue(`aggregate serves countDocuments and counts by a field only: ${only}`);
  }
  return { filter: parseFilter(filter), limit, by };
}

/** The limit that the stage sets; null for any other stage. */
function limitOf(stage: Value): number | null {
  const value = fieldOf(stage, '$limit');
  const limit = value && isNumber(value) ? toDouble(value) : 0;
  return Number.isInteger(limit) && limit >= 1 ? limit : null;
}

/** The field that the stage counts by, or null for none; undefined for any other stage. */
function countedBy(stage: Value): string | null | undefined {
  const bytes = stage.buf.subarray(stage.at, stage.end);
  if (bytes.equals(COUNT)) return null;
  const group = fieldOf(stage, '$group');
  const id = group?.type === BsonType.object ? fieldOf(group, '_id') : undefined;
  const name = id?.type === BsonType.string ? textOf(id) : '';
  return FIELD.test(name) && bytes.equals(countBy(name)) ? name.slice(1) : undefined;
}

/** Throws if the value is missing or not a string; Farwatch counts by no other type. */
function textOf(value: Value | undefined): string {
  if (value?.type !== BsonType.string) throw badValue('a field that is counted by must hold a text');
  return value.buf.toString('utf8', value.at + 4, value.end - 1);
}
