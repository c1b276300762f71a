import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import { cellsOf, sumOf, type Cell, type Counts } from './counts/count-rules.ts';
import type { LifecycleStatus } from './monitor.ts';

export interface MonitorListQuery {
  limit: number;
  offset: number;
  /** Any of these; absent means all. */
  statuses?: LifecycleStatus[];
  types?: MonitorType[];
  groupId?: string;
  /** Any of these tags. */
  tags?: string[];
  search?: string;
  sortBy: 'created_at' | 'updated_at' | 'name';
  isDescending: boolean;
}

/**
 * How to read a page. `whole`: all monitors of the project, or of the group, are on the list, in the order of an index. `cells`: those of these
 * types and states, each in the order of an index, are merged. `matching`: read in order and looked at one by one.
 * `total` is null where the counts cannot tell it.
 */
export type ListPlan =
  | { kind: 'empty'; total: number }
  | { kind: 'whole'; total: number }
  | { kind: 'cells'; total: number; cells: (Cell & { count: number })[] }
  | { kind: 'matching'; total: number | null };

/** Merging reads each cell up to the end of the page; further down than this, looking at monitors one by one is no worse. */
const DEEPEST_MERGE = 1000;

/** The cheapest way to the page that `query` asks for, and how many monitors are on all pages where `counts` know. */
export function planList(query: MonitorListQuery, counts: Counts): ListPlan {
  const all = cellsOf(query.groupId === undefined ? counts.cells : (counts.groups[query.groupId] ?? {}));
  const cells = all.filter(({ type, status }) => (query.types?.includes(type) ?? true) && (query.statuses?.includes(status) ?? true));
  const most = sumOf(cells);
  if (query.offset >= most) return { kind: 'empty', total: most };
  if (query.tags !== undefined || query.search !== undefined) return { kind: 'matching', total: null };
  if (cells.length === all.length) return { kind: 'whole', total: most };
  if (query.groupId !== undefined) return { kind: 'matching', total: most };
  const isShallow = cells.length === 1 || query.offset + query.limit <= DEEPEST_MERGE;
  return isShallow ? { kind: 'cells', total: most, cells } : { kind: 'matching', total: most };
}

/** Where a page starts when it is read from the nearer end of a list of `total`. */
export function nearerEnd(page: { offset: number; limit: number }, total: number): { offset: number; limit: number; isReversed: boolean } {
  const limit = Math.min(page.limit, Math.max(0, total - page.offset));
  const fromEnd = Math.max(0, total - page.offset - limit);
  return fromEnd < page.offset ? { offset: fromEnd, limit, isReversed: true } : { offset: page.offset, limit: page.limit, isReversed: false };
}
