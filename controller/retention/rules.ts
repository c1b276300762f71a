import type { PlanLimits } from '../plans/plans.ts';
import type { AgedMonitor, MonitorRange } from './ports.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How often an organization is swept. A shorter retention of its plan triggers a sweep immediately. */
export const SWEEP_INTERVAL_MS = 6 * HOUR_MS;
/** Swept again, because late results may have arrived for hours that were already swept. */
const OVERLAP_MS = 2 * DAY_MS;
/** Tolerance for clock skew: the first result may start before its monitor was created. */
const BEFORE_CREATION_MS = DAY_MS;
/** How long the history of a deleted monitor is kept, so that none of its results is still on its way. */
const DELETED_RETENTION_MS = 7 * DAY_MS;

/** Older data is removed. Unix ms; `raw` is a full hour, `rollups` a full UTC day, never later than `raw`. */
export interface Cutoffs {
  raw: number;
  rollups: number;
}

/** Progress of an organization: its last complete sweep, and the sweep in progress. */
export interface SweepState {
  /** Null before the first sweep is complete. */
  done: Cutoffs | null;
  done_at: number;
  run: (Cutoffs & { after: string }) | null;
}

/** Rollups are kept at least as long as their raw results. */
export function cutoffsOf(plan: Pick<PlanLimits, 'raw_results_days' | 'rollups_days'>, now: number): Cutoffs {
  const raw = now - plan.raw_results_days * DAY_MS;
  const rollups = Math.min(raw, now - plan.rollups_days * DAY_MS);
  return { raw: floor(raw, HOUR_MS), rollups: floor(rollups, DAY_MS) };
}

export function isDue(state: SweepState | null, target: Cutoffs, now: number): boolean {
  if (!state?.done || state.run !== null || now - state.done_at >= SWEEP_INTERVAL_MS) return true;
  return target.raw - state.done.raw >= SWEEP_INTERVAL_MS || target.rollups - state.done.rollups > DAY_MS;
}

/** The part of a monitor's history that has expired since the last sweep; null if there is none. */
export function agedRange(monitor: AgedMonitor, done: number | null, before: number): MonitorRange | null {
  const from = floor(done === null ? monitor.created_at - BEFORE_CREATION_MS : done - OVERLAP_MS, DAY_MS);
  return from < before ? { monitor_id: monitor.monitor_id, from, before } : null;
}

/** A deleted monitor loses its history first, and its document when nothing can refer to it anymore. */
export function fateOf({ deleted_at }: AgedMonitor, target: Cutoffs, now: number) {
  if (deleted_at === null || deleted_at > now - DELETED_RETENTION_MS) return 'kept';
  return deleted_at < target.rollups ? 'all_goes' : 'history_goes';
}

function floor(at: number, stepMs: number): number {
  return Math.floor(at / stepMs) * stepMs;
}
