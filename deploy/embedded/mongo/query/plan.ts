import { BsonType } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import type { KeyField } from '../keys/index-keys.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/index.ts';
import { indexBounds, type KeyRange } from './bounds.ts';
import { conjuncts, type Filter } from './filter.ts';

export interface Plan {
  /** null: the documents themselves, in the order of their `_id`. */
  readonly index: Index | null;
  readonly ranges: readonly KeyRange[];
  readonly reverse: boolean;
  /** Whether the scan yields documents in the wanted order. */
  readonly isSorted: boolean;
  /** Whether any condition narrows the scan. */
  readonly isBounded: boolean;
  /** Whether each range starts at the only key it can hold: entries are then fetched, not scanned. */
  readonly isPoints: boolean;
  /** Whether the scan yields what the filter matches and nothing else, each once. */
  readonly isExact: boolean;
}

/** A chosen index by name, by the order of the documents, or none. */
export type Hint = { readonly kind: 'index'; readonly index: Index | null } | { readonly kind: 'natural'; readonly reverse: boolean };

const ID_FIELDS: readonly KeyField[] = [{ name: '_id', path: ['_id'], descending: false }];
const WHOLE: readonly KeyRange[] = [{ from: Buffer.alloc(0), to: Buffer.from([0xff]) }];

/** Whole keys of one document first, then an equality prefix, a range, an order that saves sorting; `_id` and unique keys before others. */
export function choosePlan(collection: Collection, filter: Filter, sort: readonly KeyField[], hint: Hint | null): Plan {
  const parts = conjuncts(filter);
  if (hint?.kind === 'natural') return { index: null, ranges: WHOLE, reverse: hint.reverse, isSorted: sort.length === 0, isBounded: false, isPoints: false, isExact: parts.length === 0 };
  if (hint !== null) return planFor(hint.index, parts, sort).plan;
  let best = planFor(null, parts, sort);
  for (const index of collection.indexes) {
    if (!index.isReady || (index.sparse && !impliesPresence(index, parts))) continue;
    const candidate = planFor(index, parts, sort);
    if (candidate.score > best.score) best = candidate;
  }
  return best.plan;
}

function planFor(index: Index | null, parts: readonly Filter[], sort: readonly KeyField[]): { plan: Plan; score: number } {
  const fields = index?.fields ?? ID_FIELDS;
  const bounds = indexBounds(fields, parts, index?.multikey ?? false);
  const direction = index?.multikey === true && sort.length > 0 ? null : scanDirection(fields, bounds.equalFields, sort);
  const isBounded = bounds.pointFields > 0 || bounds.hasRange;
  const isPoints = bounds.pointFields === fields.length && (index === null || index.unique);
  const isWhollyEqual = isPoints && bounds.equalFields === fields.length;
  // A sparse index that may be used at all holds no more than the documents that have its fields.
  const score =
    (isWhollyEqual ? 1000 : 0) +
    // One document at most for each of its few keys, however many share what another index begins with.
    (isPoints ? 500 : 0) +
    bounds.pointFields * 8 +
    (bounds.hasRange ? 4 : 0) +
    (direction !== null && sort.length > 0 ? 2 : 0) +
    (index?.sparse === true ? 1 : 0);
  const isExact = index?.multikey !== true && index?.sparse !== true && areAllPoints(parts, fields.slice(0, bounds.pointFields));
  const plan = { index, ranges: bounds.ranges, reverse: direction === 'backward', isSorted: direction !== null, isBounded, isPoints, isExact };
  return { plan, score };
}

/** Whether the conditions are one of each of these fields, held to values: then their encodings say all. */
function areAllPoints(parts: readonly Filter[], fields: readonly KeyField[]): boolean {
  const names = new Set(parts.map((part) => (part.kind === 'eq' || part.kind === 'in' ? part.name : null)));
  return parts.length === fields.length && names.size === fields.length && fields.every((field) => names.has(field.name));
}

/** The direction in which the index yields the wanted order; null when it does not. */
function scanDirection(fields: readonly KeyField[], equalFields: number, sort: readonly KeyField[]): 'forward' | 'backward' | null {
  const constant = new Set(fields.slice(0, equalFields).map((field) => field.name));
  const wanted = sort.filter((field) => !constant.has(field.name));
  if (wanted.length === 0) return 'forward';
  let backward: boolean | null = null;
  for (const [i, want] of wanted.entries()) {
    const field = fields[equalFields + i];
    // Behind all fields of an index its entries go by `_id`, but an array's or a unique index's do not.
    if (field === undefined || field.name !== want.name) return null;
    const isBackward = field.descending !== want.descending;
    if (backward !== null && backward !== isBackward) return null;
    backward = isBackward;
  }
  return backward === true ? 'backward' : 'forward';
}

/** Whether every matching document has one of the index's fields, so that a sparse index holds it. */
function impliesPresence(index: Index, parts: readonly Filter[]): boolean {
  const names = new Set(index.fields.map((field) => field.name));
  return parts.some((part) => {
    if (!('name' in part) || !names.has(part.name)) return false;
    if (part.kind === 'exists' || part.kind === 'regex') return true;
    if (part.kind === 'in') return part.values.every((value) => value.type !== BsonType.null);
    return part.value.type !== BsonType.null;
  });
}

/** The index that a hint's name or pattern means. Throws BadValue when there is none. */
export function findHint(collection: Collection | undefined, name: string | null, pattern: readonly KeyField[] | null): Hint | null {
  if (pattern?.length === 1 && pattern[0]?.name === '$natural') return { kind: 'natural', reverse: pattern[0].descending };
  if (collection === undefined) return null;
  if (name === '_id_' || (pattern?.length === 1 && pattern[0]?.name === '_id')) return { kind: 'index', index: null };
  const index = collection.indexes.find((candidate) =>
    name !== null ? candidate.name === name : pattern !== null && samePattern(candidate.fields, pattern),
  );
  if (index === undefined || !index.isReady) throw badValue('error processing query: planner returned error: hint provided does not correspond to an existing index');
  return { kind: 'index', index };
}

/** Whether two patterns have the same fields in the same order and directions. */
export function samePattern(a: readonly KeyField[], b: readonly KeyField[]): boolean {
  return a.length === b.length && a.every((field, i) => field.name === b[i]?.name && field.descending === b[i]?.descending);
}
