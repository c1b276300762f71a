import { accountGap } from './time-accounting/time-accounting-rules.ts';
import { applySecondaryRules } from './monitor-rules.ts';
import type { MonitorState, RegionState, ResultItem } from './monitor-state.ts';
import { MonitorStep, type ItemPlace } from './monitor-step.ts';
import { isAssigned, verdictOf } from './votes/quorum-rules.ts';
import { hasUnalertedDownRegion, isAwaitingReports, isOfCurrentCheck } from './votes/region-rules.ts';

/**
 * True if a monitor is up and the result only confirms its region, as nearly all do. The rules then change
 * only the last check and its measurements, and `recordRoutineResult` can update them in place.
 */
export function isRoutineResult(state: MonitorState, item: ResultItem, place: ItemPlace): boolean {
  const { result, region: name, late } = item;
  const { config } = state;
  const region = state.regions[name];
  if (region === undefined || !confirmsRegion(region, item)) return false;
  if (late || state.status !== 'up' || state.heartbeat !== undefined) return false;
  const at = result.started_at;
  if (!isOfCurrentCheck(config, result) || at <= state.since || !isAssigned(config, name)) return false;
  if (state.witnesses !== null || state.minority_accepted || hasUnalertedDownRegion(state)) return false;
  if (isAwaitingReports(state) || accountGap(state, at) !== state) return false;
  if (verdictOf(state) !== 'up') return false;
  const step = new MonitorStep(state, place);
  applySecondaryRules(step, item);
  return step.state === state && step.effects.length === 0;
}

function confirmsRegion(region: RegionState, { result }: ResultItem): boolean {
  return result.outcome === 'success' && !result.degraded && result.error === null
    && result.started_at > (region.last_at ?? 0) && region.verdict === 'up'
    && !region.degraded && region.slows === 0 && region.fails === 0 && region.first_fail_at === null
    && region.error === null && region.reason === null && region.down_at === undefined;
}

/** Updates in place a state that has no other reference. Equivalent to `applyItem`. */
export function recordRoutineResult(
  state: MonitorState, { result, region: name, probe_id, engine }: ResultItem,
): void {
  const at = result.started_at;
  const region = state.regions[name] as RegionState;
  region.last_at = at;
  region.response_time_ms = result.response_time_ms;
  region.status_code = result.status_code;
  region.probe_id = probe_id;
  region.engine = engine;
  if (state.last_check_at === null || at > state.last_check_at) state.last_check_at = at;
  if (at >= (state.last_success_at ?? 0)) state.last_success_ms = result.response_time_ms;
  if (state.last_success_at === null || at > state.last_success_at) state.last_success_at = at;
}

/** A copy of a state for recording routine results in place. */
export function writableCopy(state: MonitorState): MonitorState {
  const regions: MonitorState['regions'] = {};
  for (const name of Object.keys(state.regions)) regions[name] = { ...(state.regions[name] as RegionState) };
  return { ...state, regions };
}
