import { isInMaintenance, maintenanceEndAt } from './maintenance-rules.ts';
import type { MonitorState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

/** Records in the status history that maintenance began, unless it has; `now` is Unix ms. */
export function beginMaintenance(step: MonitorStep, now: number): void {
  const { config, status, outage, maintenance_since: since } = step.state;
  if (since !== null || config.status !== 'active' || !isInMaintenance(config, now)) return;
  const at = config.maintenance?.find(({ from, until }) => from <= now && now < until)?.from ?? now;
  step.state = { ...step.state, maintenance_since: at };
  step.addHistory({ from: status, to: status, at, reason: 'maintenance began' }, outage);
}

/** Records in it that maintenance is over at `now` (Unix ms). A pause has an entry of its own. */
export function endMaintenance(step: MonitorStep, now: number): void {
  const { config, status, outage, maintenance_since: since } = step.state;
  if (since === null) return;
  // A change that people made before the begin may be read after it.
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
 * When the next begin or end is due in the status history, Unix ms; `now` or earlier if it is due already,
 * null if none is to come.
 */
export function nextMaintenanceChangeAt(state: MonitorState, now: number): number | null {
  const { config, maintenance_since: since } = state;
  if (config.status !== 'active') return null;
  if (since !== null) return maintenanceEndAt(config, now);
  // They are in order of their begin.
  return config.maintenance?.find(({ until }) => until > now)?.from ?? null;
}
