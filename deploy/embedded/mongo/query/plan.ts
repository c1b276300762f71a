import { BsonType } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { keyField, type KeyField } from '../keys/index-keys.ts';
import type { Index } from '../storage/index.ts';
import { indexBounds, type KeyRange } from './bounds.ts';
import { conjuncts, type Filter } from './filter.ts';

export interface Plan {
  /** Null to scan the documents in the order of their `_id`. */
  readonly index: Index | null;
  readonly ranges: readonly KeyRange[];
  readonly reverse: boolean;
  /** True if the scan yields documents in the requested order. */
  readonly isSorted: boolean;
  /**
   * True if each range starts at the only key it can contain, so that entries are fetched rather than
   * scanned.
   */
  readonly isPoints: boolean;
  /** True if the scan yields exactly the matching documents, each once. */
  readonly isExact: boolean;
  /** The field that orders the entries of each range; null without an index, and for points. */
  readonly orderedBy: string | null;
}

const ID_FIELDS: readonly KeyField[] = [keyField('_id')];
const ORDERINGS: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte']);

/**
 * Chooses the plan for a filter. Prefers keys that lead to one document each, then an equality prefix, a
 * range, and an order that saves sorting. Throws BadValue if no index has the name `hint`.
 */
export function choosePlan(
  indexes: readonly Index[], filter: Filter, sort: readonly KeyField[], hint: string | null,
): Plan {
  const parts = conjuncts(filter);
  if (hint !== null) {
    const index = indexes.find((candidate) => candidate.name === hint && candidate.isReady);
    if (index === undefined) throw badValue(`hint: there is no index ${hint}`);
    return planFor(index, parts, sort).plan;
  }
  let best = planFor(null, parts, sort);
  for (const index of indexes) {
    if (!index.isReady || (index.sparse && !impliesPresence(index, parts))) continue;
    const candidate = planFor(index, parts, sort);
    if (candidate.score > best.score) best = candidate;
  }
  return best.plan;
}

function planFor(
  index: Index | null, parts: readonly Filter[], sort: readonly KeyField[],
): { plan: Plan; score: number } {
  const fields = index?.fields ?? ID_FIELDS;
  const isMultikey = index?.multikey === true;
  const isSparse = index?.sparse === true;
  const { ranges, equalFields, pointFields, hasRange } = indexBounds(fields, parts, isMultikey);
  const direction = isMultikey && sort.length > 0 ? null : scanDirection(fields, equalFields, sort);
  const isPoints = pointFields === fields.length && (index === null || index.unique);
  const score =
    (isPoints && equalFields === fields.length ? 1000 : 0) +
    // Each of the few keys has at most one document, however many documents share a prefix in another index.
    (isPoints ? 500 : 0) +
    pointFields * 8 +
    (hasRange ? 4 : 0) +
    (direction !== null && sort.length > 0 ? 2 : 0) +
    // An applicable sparse index contains only documents that have its fields.
    (isSparse ? 1 : 0);
  const orderedBy = index?.fields[pointFields]?.name ?? null;
  const others = parts.filter((part) => !isTextBound(part, orderedBy));
  const isExact = !isMultikey && !isSparse && areAllPoints(others, fields.slice(0, pointFields));
  const reverse = direction === 'backward';
  const plan = { index, ranges, reverse, isSorted: direction !== null, isPoints, isExact, orderedBy };
  return { plan, score };
}

/** True for an ordering whose index range contains only strings, like the condition. */
function isTextBound(part: Filter, name: string | null): boolean {
  return ORDERINGS.has(part.kind) && 'value' in part && part.name === name && part.value.type === BsonType.string;
}

/** True if each field has exactly one condition, which fixes its values. */
function areAllPoints(parts: readonly Filter[], fields: readonly KeyField[]): boolean {
  const names = new Set(parts.map((part) => (part.kind === 'eq' || part.kind === 'in' ? part.name : null)));
  return parts.length === fields.length
    && names.size === fields.length
    && fields.every((field) => names.has(field.name));
}

/** The direction in which the index yields the requested order; null if it doesn't. */
function scanDirection(
  fields: readonly KeyField[], equalFields: number, sort: readonly KeyField[],
): 'forward' | 'backward' | null {
  const constant = new Set(fields.slice(0, equalFields).map((field) => field.name));
  const wanted = sort.filter((field) => !constant.has(field.name));
  if (wanted.length === 0) return 'forward';
  const isBackward = fields[equalFields]?.descending !== wanted[0]?.descending;
  const isInOrder = wanted.every((want, i) => {
    const field = fields[equalFields + i];
    return field?.name === want.name && (field.descending !== want.descending) === isBackward;
  });
  if (!isInOrder) return null;
  return isBackward ? 'backward' : 'forward';
}

/** True if every matching document has one of the index's fields, so that a sparse index includes it. */
function impliesPresence(index: Index, parts: readonly Filter[]): boolean {
  return parts.some((part) => {
    if (!('name' in part) || !index.fields.some((field) => field.name === part.name)) return false;
    if (part.kind === 'exists' || part.kind === 'contains') return true;
    if (part.kind === 'in') return part.values.every((value) => value.type !== BsonType.null);
    return part.value.type !== BsonType.null;
  });
}
