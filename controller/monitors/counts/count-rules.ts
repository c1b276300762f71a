import type { MonitorType } from '../../../shared/contracts/check-spec.ts';
import type { LifecycleStatus, MonitorDoc, Share } from '../monitor.ts';

/** Number of monitors by type and status, such as `HTTP active`. Omits empty cells. */
export type Cells = Record<string, number>;

export interface Counts {
  cells: Cells;
  /** Number of monitors by selected region. Excludes monitors with automatic selection. */
  regions: Record<string, number>;
  groups: Record<string, Cells>;
}

type CountedFields = Pick<MonitorDoc, 'type' | 'status' | 'group_id' | 'monitoring_regions' | 'deleted_at'>;

/** A monitor that the counts may not reflect yet. `counted` is what they contain of it. */
export type UncountedMonitor = CountedFields & Pick<MonitorDoc, '_id' | 'revision' | 'counted'>;

/** What the counts contain of a monitor after a step; null if it is not counted. */
export interface CountedShare {
  monitor_id: string;
  revision: number;
  share: Share | null;
}

export interface CountedCell extends Pick<Share, 'type' | 'status'> {
  count: number;
}

/** What a monitor contributes to the counts; null if it is deleted. */
export function shareOf(doc: CountedFields): Share | null {
  if (doc.deleted_at !== null) return null;
  const { type, status, group_id = null, monitoring_regions: regions } = doc;
  return { type, status, group_id, regions };
}

/** Whether the change affects what the monitor contributes to the counts. */
export function affectsCounts(before: CountedFields, after: CountedFields): boolean {
  return JSON.stringify(shareOf(before)) !== JSON.stringify(shareOf(after));
}

/** Returns the counts updated for these monitors, and what they now contain of each. */
export function recount(
  counts: Counts, monitors: UncountedMonitor[],
): { counts: Counts; applied: CountedShare[] } {
  const next = structuredClone(counts);
  const applied = monitors.map((doc) => {
    const share = shareOf(doc);
    addShare(next, doc.counted ?? null, -1);
    addShare(next, share, 1);
    return { monitor_id: doc._id, revision: doc.revision, share };
  });
  return { counts: next, applied };
}

function addShare(counts: Counts, share: Share | null, by: number): void {
  if (share === null) return;
  const cell = `${share.type} ${share.status}`;
  add(counts.cells, cell, by);
  for (const region of share.regions) add(counts.regions, region, by);
  if (share.group_id === null) return;
  const group = (counts.groups[share.group_id] ??= {});
  add(group, cell, by);
  if (Object.keys(group).length === 0) delete counts.groups[share.group_id];
}

function add(into: Record<string, number>, name: string, by: number): void {
  const sum = (into[name] ?? 0) + by;
  if (sum === 0) delete into[name];
  else into[name] = sum;
}

export function cellsOf(cells: Cells): CountedCell[] {
  return Object.entries(cells).map(([name, count]) => {
    const [type, status] = name.split(' ') as [MonitorType, LifecycleStatus];
    return { type, status, count };
  });
}

export function sumOf(cells: CountedCell[]): number {
  return cells.reduce((sum, cell) => sum + cell.count, 0);
}

/** Number of monitors by group. Omits empty groups. */
export function groupSizes(counts: Counts, groupIds: string[]): Map<string, number> {
  const sizes = groupIds.map((id) => [id, sumOf(cellsOf(counts.groups[id] ?? {}))] as const);
  return new Map(sizes.filter(([, size]) => size > 0));
}
