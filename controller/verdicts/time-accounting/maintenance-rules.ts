import type { MaintenanceRange, MonitorConfig } from '../monitor-config.ts';
import type { TimeRange, MonitorState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

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

/** Adds the begin of maintenance to the status history, unless it is there; `now` is Unix ms. */
export function beginMaintenance(step: MonitorStep, now: number): void {
  const { config, status, outage, maintenance_since: since } = step.state;
  if (since !== null || config.status !== 'active' || !isInMaintenance(config, now)) return;
  const at = config.maintenance?.find(({ from, until }) => from <= now && now < until)?.from ?? now;
  step.state = { ...step.state, maintenance_since: at };
  step.addHistory({ from: status, to: status, at, reason: 'maintenance began' }, outage);
}

/** Adds the end of maintenance at `now` (Unix ms) to the status history. A pause has its own entry. */
export function endMaintenance(step: MonitorStep, now: number): void {
  const { config, status, outage, maintenance_since: since } = step.state;
  if (since === null) return;
  // A configuration change from before the start may be applied after it.
  const latest = Math.max(now, since);
  if (config.status === 'active' && isInMaintenance(config, latest)) return;
  step.state = { ...step.state, maintenance_since: null };
  if (config.status !== 'active') return;
  const ends = (config.maintenance ?? []).map(({ until }) => until)
    .filter((until) => until > since && until <= latest);
  const at = ends.length === 0 ? latest : Math.max(...ends);
  step.addHistory({ from: status, to: status, at, reason: 'maintenance ended' }, outage);
}

/**
 * When the next start or end is due in the status history, Unix ms; at most `now` if it is due already. Null
 * if there is none.
 */
export function nextMaintenanceChangeAt(state: MonitorState, now: number): number | null {
  const { config, maintenance_since: since } = state;
  if (config.status !== 'active') return null;
  if (since !== null) return maintenanceEndAt(config, now);
  // In order of their start.
  return config.maintenance?.find(({ until }) => until > now)?.from ?? null;
}
