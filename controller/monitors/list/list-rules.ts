import type { MonitorType } from '../../../shared/contracts/check-spec.ts';
import { cellsOf, sumOf, type Counts, type CountedCell } from '../counts/count-rules.ts';
import type { LifecycleStatus } from '../monitor.ts';

export interface MonitorListQuery {
  limit: number;
  offset: number;
  /** Matches any of these; absent matches all. */
  statuses?: LifecycleStatus[];
  types?: MonitorType[];
  groupId?: string;
  tags?: string[];
  search?: string;
  sortBy: 'created_at' | 'updated_at' | 'name';
  isDescending: boolean;
}

/**
 * How to read a page. `whole`: all monitors of the project or group, in index order. `cells`: merges these
 * cells, each in index order. `matching`: filters monitors in index order. `total` is null if the counts do
 * not have it.
 */
export type ListPlan =
  | { kind: 'empty' | 'whole'; total: number }
  | { kind: 'cells'; total: number; cells: CountedCell[] }
  | { kind: 'matching'; total: number | null };

/** Merging reads each cell up to the end of the page. Beyond this depth, filtering is no slower. */
const MAX_MERGE_DEPTH = 1000;

/** The cheapest plan to read the requested page. */
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

/** A part of a sorted list. `isReversed`: counted from the end, in reverse order. */
export interface ListSlice {
  offset: number;
  limit: number;
  isReversed: boolean;
}

/** Locates a page in a list of `total` items from the nearer end, to skip fewer items. */
export function fromNearerEnd(page: { offset: number; limit: number }, total: number): ListSlice {
  const limit = Math.min(page.limit, Math.max(0, total - page.offset));
  const fromEnd = Math.max(0, total - page.offset - limit);
  if (fromEnd < page.offset) return { offset: fromEnd, limit, isReversed: true };
  return { offset: page.offset, limit: page.limit, isReversed: false };
}
