import type { MonitorType } from '../../../shared/contracts/check-spec.ts';
import type { LifecycleStatus, MonitorDoc } from '../monitor.ts';

/** What one living monitor adds to the counts of its project. */
export interface Share {
  type: MonitorType;
  status: LifecycleStatus;
  group_id: string | null;
  regions: string[];
}

/** Monitors by type and status; a pair that none has is not there. */
export type Cells = Record<string, number>;

export interface Counts {
  cells: Cells;
  /** Monitors that name a region, by its id; those that leave the choice to us are in none. */
  regions: Record<string, number>;
  groups: Record<string, Cells>;
}

/** A monitor whose counts may lag behind it: `counted` is what the counts hold of it, `revision` what it has become. */
export type UncountedMonitor = Pick<MonitorDoc, '_id' | 'revision' | 'counted' | 'type' | 'status' | 'group_id' | 'monitoring_regions' | 'deleted_at'>;

/** One monitor as the counts hold it after a step; null: not at all. */
export interface CountedShare {
  monitor_id: string;
  revision: number;
  share: Share | null;
}

export interface Cell {
  type: MonitorType;
  status: LifecycleStatus;
}

/** What a monitor should add; null when it is deleted. */
export function shareOf(doc: Pick<MonitorDoc, 'type' | 'status' | 'group_id' | 'monitoring_regions' | 'deleted_at'>): Share | null {
  if (doc.deleted_at !== null) return null;
  return { type: doc.type, status: doc.status, group_id: doc.group_id ?? null, regions: doc.monitoring_regions };
}

/** Whether a monitor that becomes `after` has to be counted anew. */
export function movesCounts(before: Parameters<typeof shareOf>[0], after: Parameters<typeof shareOf>[0]): boolean {
  return JSON.stringify(shareOf(before)) !== JSON.stringify(shareOf(after));
}

/** The counts after these monitors are brought up to date, and what they then hold of each. */
export function recount(counts: Counts, monitors: UncountedMonitor[]): { counts: Counts; applied: CountedShare[] } {
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
  const cell = cellName(share);
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

export function cellName({ type, status }: Cell): string {
  return `${type} ${status}`;
}

/** Those cells that have monitors, with their number. */
export function cellsOf(cells: Cells): (Cell & { count: number })[] {
  return Object.entries(cells).map(([name, count]) => {
    const [type, status] = name.split(' ') as [MonitorType, LifecycleStatus];
    return { type, status, count };
  });
}

export function sumOf(cells: { count: number }[]): number {
  return cells.reduce((sum, cell) => sum + cell.count, 0);
}

/** Monitors in each of these groups; groups without any are left out. */
export function groupSizes(counts: Counts, groupIds: string[]): Map<string, number> {
  return new Map(groupIds.flatMap((id) => {
    const cells = counts.groups[id];
    return cells === undefined ? [] : [[id, sumOf(cellsOf(cells))]];
  }));
}
