import type { MonitorType } from '../../../shared/contracts/check-spec.ts';
import { cellsOf, sumOf, type Counts, type CountedCell } from '../counts/count-rules.ts';
import type { LifecycleStatus } from '../monitor.ts';

export interface MonitorListQuery {
  limit: number;
  offset: number;
  /** Any of these; absent means all. */
  statuses?: LifecycleStatus[];
  types?: MonitorType[];
  groupId?: string;
  tags?: string[];
  search?: string;
  sortBy: 'created_at' | 'updated_at' | 'name';
  isDescending: boolean;
}

/**
 * How to read a page. `whole`: the list has all monitors of the project or group, in the order of an index.
 * `cells`: it merges these cells, each in the order of an index. `matching`: monitors are read in order and
 * filtered one by one. `total` is null if the counts cannot tell it.
 */
export type ListPlan =
  | { kind: 'empty' | 'whole'; total: number }
  | { kind: 'cells'; total: number; cells: CountedCell[] }
  | { kind: 'matching'; total: number | null };

/**
 * Merging reads each cell up to the end of the page; beyond this depth, filtering one by one is no slower.
 */
const MAX_MERGE_DEPTH = 1000;

/** The cheapest way to read the page that `query` asks for, with the total as far as `counts` tell it. */
export function planList(query: MonitorListQuery, counts: Counts): ListPlan {
  const { types, statuses, groupId, offset } = query;
  const all = cellsOf(groupId === undefined ? counts.cells : (counts.groups[groupId] ?? {}));
  const cells = all.filter(({ type, status }) =>
    (types?.includes(type) ?? true) && (statuses?.includes(status) ?? true));
  const total = sumOf(cells);
  if (offset >= total) return { kind: 'empty', total };
  if (query.tags !== undefined || query.search !== undefined) return { kind: 'matching', total: null };
  if (cells.length === all.length) return { kind: 'whole', total };
  const isShallow = cells.length === 1 || offset + query.limit <= MAX_MERGE_DEPTH;
  return groupId === undefined && isShallow ? { kind: 'cells', total, cells } : { kind: 'matching', total };
}

/** A part of a sorted list; `isReversed`: counted from its end, against the order that was asked for. */
export interface ListSlice {
  offset: number;
  limit: number;
  isReversed: boolean;
}

/** Where a page of a list of `total` starts when it is read from the nearer end. */
export function fromNearerEnd(page: { offset: number; limit: number }, total: number): ListSlice {
  const limit = Math.min(page.limit, Math.max(0, total - page.offset));
  const fromEnd = Math.max(0, total - page.offset - limit);
  if (fromEnd < page.offset) return { offset: fromEnd, limit, isReversed: true };
  return { offset: page.offset, limit: page.limit, isReversed: false };
}
