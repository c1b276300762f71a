import { BsonType, documentValue } from '../bson/value.ts';
import type { KeyField } from '../keys/index-keys.ts';
import { encodeKey } from '../keys/key-writer.ts';
import type { Collection } from '../storage/collection.ts';
import type { Storage } from '../storage/storage.ts';
import { conjuncts, type Filter } from './filter.ts';
import { matcherOf } from './matcher.ts';
import { choosePlan, type Hint } from './plan.ts';
import { Scan, type Hit } from './scan.ts';

/** Matching documents one by one; `isSorted` tells whether they come in the wanted order. */
export interface Hits {
  readonly isSorted: boolean;
  /** Leaves out the first `count` without reading them; false when they have to be read. Before `next`. */
  skip(count: number): boolean;
  next(): Hit | undefined;
  pause(): void;
}

export interface HitOptions {
  readonly sort?: readonly KeyField[];
  readonly hint?: Hint | null;
  /** Called now and then while scanning; throws to give up. */
  readonly checkDeadline?: () => void;
}

/** Finds what a filter matches: by `_id` alone where it names one, else by the best plan. */
export function findHits(storage: Storage, collection: Collection, filter: Filter, options: HitOptions = {}): Hits {
  const hint = options.hint ?? null;
  const idKey = hint === null ? heldId(filter) : null;
  if (idKey !== null) return single(collection, idKey, filter);
  const plan = choosePlan(collection, filter, options.sort ?? [], hint);
  const scan = new Scan(storage, collection, plan, matcherOf(filter), options.checkDeadline);
  return { isSorted: plan.isSorted, skip: (count) => scan.skip(count), next: () => scan.next(), pause: () => scan.pause() };
}

/** The encoded `_id` that the filter asks for, or null. */
export function heldId(filter: Filter): Buffer | null {
  for (const part of conjuncts(filter)) {
    if (part.kind === 'eq' && part.name === '_id' && part.value.type !== BsonType.array) return encodeKey(part.value);
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
    const isIdAlone = filter.kind === 'eq';
    return isIdAlone || matcherOf(filter)(documentValue(doc)) ? { idKey, doc } : undefined;
  };
  return { isSorted: true, skip: () => false, next, pause: () => undefined };
}
