import { isInMaintenance, maintenanceEndAt } from './maintenance-rules.ts';
import type { MonitorState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';

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
