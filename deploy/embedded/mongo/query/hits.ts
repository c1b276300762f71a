import { BsonType, documentValue } from '../bson/value.ts';
import type { KeyField } from '../keys/index-keys.ts';
import { encodeKey } from '../keys/key-writer.ts';
import type { Collection } from '../storage/collection.ts';
import type { Storage } from '../storage/storage.ts';
import { conjuncts, type Filter } from './filter.ts';
import { matcherOf } from './matcher.ts';
import { choosePlan } from './plan.ts';
import { Scan, type Hit } from './scan.ts';

/** Matching documents, one at a time. */
export type Hits = Pick<Scan, 'isSorted' | 'skip' | 'next' | 'count' | 'groups' | 'pause'>;

interface HitOptions {
  readonly sort?: readonly KeyField[];
  /** Name of the index to use. */
  readonly hint?: string | null;
}

/** Finds the documents matching a filter: by `_id` if it fixes one, otherwise by the best plan. */
export function findHits(
  storage: Storage, collection: Collection, filter: Filter, options: HitOptions = {},
): Hits {
  const { sort = [], hint = null } = options;
  const idKey = hint === null ? fixedId(filter) : null;
  if (idKey !== null) return single(collection, idKey, filter);
  const plan = choosePlan(collection.indexes, filter, sort, hint);
  return new Scan(storage, collection, plan, matcherOf(filter));
}

/** The encoded `_id` fixed by the filter, or null. */
function fixedId(filter: Filter): Buffer | null {
  for (const part of conjuncts(filter)) {
    if (part.kind !== 'eq' || part.name !== '_id' || part.value.type === BsonType.array) continue;
    return encodeKey(part.value);
  }
  return null;
}

function single(collection: Collection, idKey: Buffer, filter: Filter): Hits {
  let isDone = false;
  const next = (): Hit | undefined => {
    if (isDone) return undefined;
    isDone = true;
    const doc = collection.get(idKey);
    if (doc === undefined) return undefined;
    const isIdOnly = filter.kind === 'eq';
    return isIdOnly || matcherOf(filter)(documentValue(doc)) ? { idKey, doc } : undefined;
  };
  const count = (): number => (next() === undefined ? 0 : 1);
  function* groups(): ReturnType<Hits['groups']> {
    const hit = next();
    if (hit !== undefined) yield { doc: hit.doc, count: 1 };
  }
  return { isSorted: true, skip: () => false, next, count, groups, pause: () => undefined };
}

/** The first hit, or undefined. */
export function firstHit(storage: Storage, collection: Collection, filter: Filter): Hit | undefined {
  const hits = findHits(storage, collection, filter);
  const hit = hits.next();
  hits.pause();
  return hit;
}

/** Maximum bytes of documents held by `allHits`; it re-reads further ones when needed. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** All hits, found before any change, so that a document moved by a change isn't found twice. */
export function* allHits(storage: Storage, collection: Collection, filter: Filter): Iterable<Hit> {
  const hits = findHits(storage, collection, filter);
  const found: { idKey: Buffer; doc: Buffer | undefined }[] = [];
  let bytes = 0;
  for (let hit = hits.next(); hit !== undefined; hit = hits.next()) {
    bytes += hit.doc.length;
    found.push({ idKey: hit.idKey, doc: bytes <= MAX_HELD_BYTES ? hit.doc : undefined });
  }
  for (const { idKey, doc } of found) yield { idKey, doc: doc ?? (collection.get(idKey) as Buffer) };
}
