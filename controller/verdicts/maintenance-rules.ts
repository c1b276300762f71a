import type { MaintenanceStretch, MonitorConfig } from './monitor-config.ts';
import type { Stretch } from './monitor-state.ts';

/** Late results are booked apart as long as this; older ones only count. */
const KEPT_MS = 7 * 86_400_000;
/** Stretches of a monitor; beyond them the latest ones have to wait for the next configuration. */
const MOST_STRETCHES = 200;

type Windows = Pick<MonitorConfig, 'maintenance'>;

/** Whether a monitor is in maintenance at an instant (Unix ms). */
export function isInMaintenance({ maintenance }: Windows, at: number): boolean {
  return maintenance?.some(({ from, until }) => from <= at && at < until) ?? false;
}

/** When maintenance that goes on at an instant is over, Unix ms; that instant if there is none. */
export function maintainedUntil({ maintenance = [] }: Windows, at: number): number {
  // They are in order, so one pass follows those that overlap.
  return maintenance.reduce((end, { from, until }) => (from <= end ? Math.max(end, until) : end), at);
}

/** The same for maintenance that holds alerts. */
export function heldUntil({ maintenance = [] }: Windows, at: number): number {
  return maintainedUntil({ maintenance: maintenance.filter(({ holds_alerts }) => holds_alerts) }, at);
}

/** The parts of a stretch of time that are maintenance, in order and without overlap. */
export function maintenanceIn({ maintenance }: Windows, from: number, until: number): Stretch[] {
  const parts: Stretch[] = [];
  for (const stretch of maintenance ?? []) {
    const start = Math.max(stretch.from, from, parts.at(-1)?.[1] ?? 0);
    const end = Math.min(stretch.until, until);
    if (start < end) parts.push([start, end]);
  }
  return parts;
}

/**
 * The stretches of a monitor whose configuration changes: what has passed stays as it was, and what comes is
 * as the new configuration says.
 */
export function keepMaintenance(old: MonitorConfig, config: MonitorConfig): MonitorConfig {
  const { changed_at: at } = config;
  if (!old.maintenance?.length && !config.maintenance?.length) return config;
  const past = (old.maintenance ?? []).filter(({ from, until }) => from < at && until > at - KEPT_MS)
    .map((stretch) => ({ ...stretch, until: Math.min(stretch.until, at) }));
  const coming = (config.maintenance ?? []).filter(({ until }) => until > at)
    .map((stretch) => ({ ...stretch, from: Math.max(stretch.from, at) }));
  return { ...config, maintenance: joined([...past, ...coming]).slice(0, MOST_STRETCHES) };
}

/** A stretch that goes on unchanged is one stretch. */
function joined(stretches: MaintenanceStretch[]): MaintenanceStretch[] {
  const all: MaintenanceStretch[] = [];
  for (const stretch of stretches) {
    const before = all.findIndex(({ until, holds_alerts }) =>
      until === stretch.from && holds_alerts === stretch.holds_alerts);
    const known = all[before];
    if (known) all[before] = { ...known, until: stretch.until };
    else all.push(stretch);
  }
  return all.sort((one, other) => one.from - other.from || one.until - other.until);
}
