import { bookGap } from './booking-rules.ts';
import { isAwaiting } from './overlap-rules.ts';
import { isAsked, verdictOf } from './quorum-rules.ts';
import { tellBeyondStatus } from './telling-rules.ts';
import type { ItemPlace, MonitorEffect, MonitorItem, MonitorState, RegionState } from './monitor-state.ts';

type ResultItem = MonitorItem & { kind: 'result' };

const NOTHING: MonitorEffect[] = [];

/**
 * Whether a result says of a monitor that is up just what its region said before: nearly all do. Then the rules change
 * nothing but when it was checked and what that measured, which `noteQuiet` writes without making a state anew.
 */
export function isQuiet(state: MonitorState, item: ResultItem, place: ItemPlace): boolean {
  const { result, region: name, late } = item;
  const { config } = state;
  const region = state.regions[name];
  if (region === undefined || !saysTheSame(region, item) || late || state.status !== 'up' || state.heartbeat !== undefined) return false;
  const at = result.started_at;
  const counts = config.status === 'active' && result.assignment_rev >= config.check_revision && at > state.since && isAsked(config, name);
  if (!counts || isAwaiting(state) || bookGap(state, at) !== state || verdictOf(config, state.regions) !== 'up') return false;
  const step = { state, effects: NOTHING };
  return tellBeyondStatus(state, step, item, place) === step;
}

function saysTheSame(region: RegionState, { result }: ResultItem): boolean {
  return result.outcome === 'success' && !result.degraded && result.error === null && result.started_at > (region.last_at ?? 0)
    && region.verdict === 'up' && !region.degraded && region.slows === 0 && region.fails === 0
    && region.first_fail_at === null && region.error === null && region.reason === null && region.down_at === undefined;
}

/** Writes a quiet result into a state that nobody else holds. What this leaves is what `applyItem` would have made anew. */
export function noteQuiet(state: MonitorState, { result, region: name, probe_id }: ResultItem): void {
  const at = result.started_at;
  const region = state.regions[name] as RegionState;
  region.last_at = at;
  region.response_time_ms = result.response_time_ms;
  region.status_code = result.status_code;
  region.probe_id = probe_id;
  if (state.last_check_at === null || at > state.last_check_at) state.last_check_at = at;
  if (at >= (state.last_success_at ?? 0)) state.last_success_ms = result.response_time_ms;
  if (state.last_success_at === null || at > state.last_success_at) state.last_success_at = at;
}

/** A state of one's own to note quiet results in. */
export function ownCopy(state: MonitorState): MonitorState {
  const regions: MonitorState['regions'] = {};
  for (const name of Object.keys(state.regions)) regions[name] = { ...(state.regions[name] as RegionState) };
  return { ...state, regions };
}
