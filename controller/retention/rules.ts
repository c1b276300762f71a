import type { PlanLimits } from '../plans/plans.ts';
import type { AgedMonitor, Stretch } from './ports.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An organization is gone through this often, and at once when its plan keeps less. */
export const SWEEP_EVERY_MS = 6 * HOUR_MS;
/** What came late into hours that were gone through already is met the next time. */
const OVERLAP_MS = 2 * DAY_MS;
/** A first result may have been started a little before its monitor: by another clock. */
const BEFORE_CREATION_MS = DAY_MS;
/** The history of a deleted monitor stays this long, so that nothing of it is still on its way. */
const REMAINS_MS = 7 * DAY_MS;

/** What is older goes, Unix ms. `raw` is a full hour, `rollups` a full day (UTC) and never later than `raw`. */
export interface Cutoffs {
  raw: number;
  rollups: number;
}

/** How far an organization was gone through, and where a round that is under way stands. */
export interface SweepState {
  /** Null before the first round is through. */
  done: Cutoffs | null;
  done_at: number;
  run: (Cutoffs & { after: string }) | null;
}

/** By plan. Rollups stay at least as long as the results that they count. */
export function cutoffsOf(plan: Pick<PlanLimits, 'raw_results_days' | 'rollups_days'>, now: number): Cutoffs {
  const rollupsDays = Math.max(plan.rollups_days, plan.raw_results_days);
  return { raw: floor(now - plan.raw_results_days * DAY_MS, HOUR_MS), rollups: floor(now - rollupsDays * DAY_MS, DAY_MS) };
}

export function isDue(state: SweepState | null, target: Cutoffs, now: number): boolean {
  if (!state?.done || state.run !== null || now - state.done_at >= SWEEP_EVERY_MS) return true;
  return target.raw - state.done.raw >= SWEEP_EVERY_MS || target.rollups - state.done.rollups > DAY_MS;
}

/** The part of a monitor's history that has aged since the last round, of one kind; null when there is none. */
export function agedStretch(monitor: AgedMonitor, done: number | null, before: number): Stretch | null {
  const from = floor((done === null ? monitor.created_at - BEFORE_CREATION_MS : done - OVERLAP_MS), DAY_MS);
  return from < before ? { monitor_id: monitor.monitor_id, from, before } : null;
}

/** What becomes of a deleted monitor: its history goes first, its document when nothing else can name it any more. */
export function fateOf(monitor: AgedMonitor, target: Cutoffs, now: number): 'kept' | 'history_goes' | 'all_goes' {
  if (monitor.deleted_at === null || monitor.deleted_at > now - REMAINS_MS) return 'kept';
  return monitor.deleted_at < target.rollups ? 'all_goes' : 'history_goes';
}

function floor(at: number, stepMs: number): number {
  return Math.floor(at / stepMs) * stepMs;
}
