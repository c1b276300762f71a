import { BsonType, documentValue, elementsOf, fieldOf, toByteString, type Value } from '../bson/value.ts';
import { MongoFailure } from '../errors.ts';
import { encodeKey } from '../keys/key-writer.ts';
import { findHits } from '../query/hits.ts';
import { parseFilter } from '../query/parse-filter.ts';
import { parsePath } from '../query/path.ts';
import { typeMismatch, type Args } from './args.ts';
import type { Context, Reply } from './context.ts';
import { deadline, EVERYTHING } from './find.ts';

/** The values are one document of the reply. */
const MAX_DISTINCT_BYTES = 15 * 1024 * 1024;

export function count(context: Context, args: Args): Reply {
  const collection = context.catalog.get(args.ns);
  const query = args.document('query');
  const filter = query === undefined ? EVERYTHING : parseFilter(query);
  const [skip, limit] = [args.count('skip') ?? 0, args.count('limit') ?? 0];
  if (collection === undefined) return { n: 0 };
  const cut = (n: number): number => Math.min(Math.max(0, n - skip), limit === 0 ? Infinity : limit);
  if (filter.kind === 'and' && filter.of.length === 0) return { n: cut(collection.tally.state.count) };
  const hits = findHits(context.storage, collection, filter, { checkDeadline: deadline(context, args) });
  const enough = limit === 0 ? Infinity : skip + limit;
  let n = 0;
  while (n < enough && hits.next() !== undefined) n++;
  hits.pause();
  return { n: cut(n) };
}

export function distinct(context: Context, args: Args): Reply {
  const key = args.string('key');
  if (key === undefined) throw typeMismatch('distinct', 'key', 'string');
  const path = parsePath(toByteString(key));
  const query = args.document('query');
  const filter = query === undefined ? EVERYTHING : parseFilter(query);
  const collection = context.catalog.get(args.ns);
  const values = new Map<string, Value>();
  let bytes = 0;
  if (collection === undefined) return { values: [] };
  const hits = findHits(context.storage, collection, filter, { checkDeadline: deadline(context, args) });
  for (let hit = hits.next(); hit !== undefined; hit = hits.next()) {
    for (const value of leaves(documentValue(hit.doc), path)) {
      const name = encodeKey(value).toString('latin1');
      if (values.has(name)) continue;
      bytes += value.end - value.at;
      if (bytes > MAX_DISTINCT_BYTES) throw new MongoFailure(17217, 'distinct too big, 16mb cap');
      values.set(name, value);
    }
  }
  return { values: [...values.values()] };
}

/** The values under a path; arrays on the way and at its end count by their elements, once each. */
function leaves(doc: Value, path: readonly string[]): Value[] {
  const [first, ...rest] = path;
  if (first === undefined) return doc.type === BsonType.array ? elementsOf(doc) : [doc];
  if (doc.type === BsonType.array) return elementsOf(doc).flatMap((element) => (element.type === BsonType.object ? leaves(element, path) : []));
  const next = doc.type === BsonType.object ? fieldOf(doc, first) : undefined;
  return next === undefined ? [] : leaves(next, rest);
}
