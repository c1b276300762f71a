import type { MaintenanceRange, MonitorConfig } from '../monitor-config.ts';
import type { TimeRange } from '../monitor-state.ts';

/** Late results are booked apart as long as this; older ones only count. */
const RETENTION_MS = 7 * 86_400_000;
/** Stretches of a monitor; beyond them the latest ones have to wait for the next configuration. */
const MAX_RANGES = 200;

type Windows = Pick<MonitorConfig, 'maintenance'>;

/** Whether a monitor is in maintenance at an instant (Unix ms). */
export function isInMaintenance({ maintenance }: Windows, at: number): boolean {
  return maintenance?.some(({ from, until }) => from <= at && at < until) ?? false;
}

/** When maintenance that goes on at an instant is over, Unix ms; that instant if there is none. */
export function maintenanceEndAt({ maintenance = [] }: Windows, at: number): number {
  // They are in order, so one pass follows those that overlap.
  return maintenance.reduce((end, { from, until }) => (from <= end ? Math.max(end, until) : end), at);
}

/** The same for maintenance that holds alerts. */
export function alertsHeldUntil({ maintenance = [] }: Windows, at: number): number {
  return maintenanceEndAt({ maintenance: maintenance.filter(({ holds_alerts }) => holds_alerts) }, at);
}

/** The parts of a stretch of time that are maintenance, in order and without overlap. */
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
 * The stretches of a monitor whose configuration changes: what has passed stays as it was, and what comes is
 * as the new configuration says.
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

/** A stretch that goes on unchanged is one stretch. */
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
