import type { MaintenanceRange, MonitorConfig } from '../monitor-config.ts';
import type { TimeRange } from '../monitor-state.ts';

/** For this long, maintenance applies to late results; older ones count as outside of it. */
const RETENTION_MS = 7 * 86_400_000;
/** Limit of ranges per monitor. Later ones wait for the next configuration. */
const MAX_RANGES = 200;

type Windows = Pick<MonitorConfig, 'maintenance'>;

/** Whether a monitor is in maintenance at a given time (Unix ms). */
export function isInMaintenance({ maintenance }: Windows, at: number): boolean {
  return maintenance?.some(({ from, until }) => from <= at && at < until) ?? false;
}

/** When the maintenance at a given time ends, Unix ms; that time itself if there is none. */
export function maintenanceEndAt({ maintenance = [] }: Windows, at: number): number {
  // In order, so one pass follows overlapping ranges.
  return maintenance.reduce((end, { from, until }) => (from <= end ? Math.max(end, until) : end), at);
}

/** Like `maintenanceEndAt`, for maintenance that holds alerts. */
export function alertsHeldUntil({ maintenance = [] }: Windows, at: number): number {
  return maintenanceEndAt({ maintenance: maintenance.filter(({ holds_alerts }) => holds_alerts) }, at);
}

/** The maintenance in a time range, in order and without overlap. */
export function maintenanceIn({ maintenance }: Windows, from: number, until: number): TimeRange[] {
  const parts: TimeRange[] = [];
  for (const range of maintenance ?? []) {
    const start = Math.max(range.from, from, parts.at(-1)?.[1] ?? 0);
    const end = Math.min(range.until, until);
    if (start < end) parts.push([start, end]);
  }
  return parts;
}

/**
 * Merges the ranges on a configuration change: past time follows the old configuration, future time the new.
 */
export function mergeMaintenance(old: MonitorConfig, config: MonitorConfig): MonitorConfig {
  const { changed_at: at } = config;
  if (!old.maintenance?.length && !config.maintenance?.length) return config;
  const elapsed = (old.maintenance ?? []).filter(({ from, until }) => from < at && until > at - RETENTION_MS)
    .map((range) => ({ ...range, until: Math.min(range.until, at) }));
  const upcoming = (config.maintenance ?? []).filter(({ until }) => until > at)
    .map((range) => ({ ...range, from: Math.max(range.from, at) }));
  return { ...config, maintenance: joinRanges([...elapsed, ...upcoming]).slice(0, MAX_RANGES) };
}

/** Joins adjacent ranges of the same maintenance. */
function joinRanges(ranges: MaintenanceRange[]): MaintenanceRange[] {
  const all: MaintenanceRange[] = [];
  for (const range of ranges) {
    const before = all.findIndex(({ until, holds_alerts }) =>
      until === range.from && holds_alerts === range.holds_alerts);
    const previous = all[before];
    if (previous) all[before] = { ...previous, until: range.until };
    else all.push(range);
  }
  return all.sort((one, other) => one.from - other.from || one.until - other.until);
}
