import { derivedId } from '../../shared/ids.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import type { MonitorConfig, RuntimeStatus } from './monitor-config.ts';
import { afterConfig, applyOverdue, applyPing, applyUnwatched, waitingFrom, type HeartbeatFailure, type Move } from './heartbeat-rules.ts';
import { bookGap, bookHour, bookWatched, lastHeard, rebook } from './booking-rules.ts';
import { alert, downRegions, opening, resolution, SEVERITY, statusEffect } from './effect-rules.ts';
import { isAsked, verdictOf } from './quorum-rules.ts';
import { forgetHeard, hasRecoveredSince, ongoingSince, tellOverlaps } from './overlap-rules.ts';
import { afterResult, NEW_REGION, rememberRegions, withoutVote } from './region-rules.ts';
import { tellBeyondStatus } from './telling-rules.ts';
import type { ItemPlace, MonitorEffect, MonitorItem, MonitorState, MonitorStep, Outage, RegionState } from './monitor-state.ts';

/** The state of a monitor that nothing has been heard of. */
export function newMonitorState(config: MonitorConfig): MonitorState {
  const heartbeat = waitingFrom(config, config.changed_at);
  return {
    config, status: config.status === 'active' ? 'unknown' : 'paused', since: config.changed_at, regions: {}, outage: null,
    last_check_at: null, last_success_at: null, last_success_ms: null, last_failure_at: null, booked_until: config.changed_at, booked: {}, unrolled_day: null,
    slow: null, flaps: null, warned: null, late: null, ...(heartbeat ? { heartbeat } : {}),
  };
}

/** No result is late before this. */
export const LATE_AFTER_MS = 60_000;

/** What starts this much after it was taken is of a wrong clock: the probe's, or ours. */
const AHEAD_MS = 300_000;

/**
 * Whether a result came too late to move a verdict: more than two intervals, and more than a minute, after it started;
 * or so early that a clock is wrong. It still repairs history.
 */
export function isLate(config: MonitorConfig, startedAt: number, takenAt: number): boolean {
  return takenAt - startedAt > Math.max(2 * config.interval_ms, LATE_AFTER_MS) || startedAt - takenAt > AHEAD_MS;
}

/**
 * What one item of the journal makes of a monitor. Reads nothing but its arguments, so that a replay of the journal
 * ends in the same state with the same effects under the same ids.
 */
export function applyItem(state: MonitorState, item: MonitorItem, place: ItemPlace): MonitorStep {
  return tellBeyondStatus(state, applyToStatus(state, item, place), item, place);
}

function applyToStatus(state: MonitorState, item: MonitorItem, place: ItemPlace): MonitorStep {
  const move: Move = (from, to, at, reason, failure) => change(from, to, at, place, reason, failure);
  switch (item.kind) {
    // No probe has a word on a heartbeat.
    case 'result': return state.heartbeat ? { state, effects: [] } : applyResult(state, item, place);
    case 'config': return applyConfig(state, item.config, place);
    case 'silent': return applySilence(state, item, place);
    case 'ping': return applyPing(state, item.ping, move);
    case 'overdue': return applyOverdue(state, item.at, move);
    case 'unwatched': return { state: applyUnwatched(state, item.from, item.until), effects: [] };
    case 'hour': return { state: bookHour(state, item.until), effects: [] };
  }
}

function applyResult(before: MonitorState, item: MonitorItem & { kind: 'result' }, place: ItemPlace): MonitorStep {
  const { result, region: name } = item;
  const region = before.regions[name] ?? NEW_REGION;
  if (result.outcome === 'missed') return applyMissed(before, item, region, place);
  const counts = !item.late && before.config.status === 'active' && result.assignment_rev >= before.config.check_revision
    && result.started_at > (region.last_at ?? 0) && isAsked(before.config, name) && !isOvertaken(before, result.started_at);
  if (!counts) return { state: withResult(before, result, before.regions, before.outage), effects: [] };
  const watched = bookGap(before, result.started_at);
  const outage = before.outage && result.outcome === 'failure' ? { ...before.outage, failure_count: before.outage.failure_count + 1 } : before.outage;
  const regions = { ...before.regions, [name]: afterResult(region, item, before.config.retries) };
  const state = withResult(watched, result, regions, outage);
  return decide(state, result.started_at, place, result.outcome === 'success' ? 'check succeeded' : 'check failed');
}

/**
 * Whether the status has changed on newer evidence than this: what a region saw before, heard only now, is no word
 * on what is so since. Without it a region's backlog reopens an outage that the others have seen end.
 */
function isOvertaken(state: MonitorState, startedAt: number): boolean {
  return state.status !== 'unknown' && startedAt <= state.since;
}

/** Written out field by field: of all that the controller does per result, copying states would else cost the most. */
function withResult(state: MonitorState, result: CheckResult, regions: MonitorState['regions'], outage: Outage | null): MonitorState {
  const at = result.started_at;
  const isSuccess = result.outcome === 'success';
  return {
    config: state.config, status: state.status, since: state.since, regions, outage,
    last_check_at: latest(state.last_check_at, at),
    last_success_at: isSuccess ? latest(state.last_success_at, at) : state.last_success_at,
    last_success_ms: isSuccess && at >= (state.last_success_at ?? 0) ? result.response_time_ms : state.last_success_ms,
    last_failure_at: isSuccess ? state.last_failure_at : latest(state.last_failure_at, at),
    booked_until: state.booked_until, booked: state.booked, unrolled_day: state.unrolled_day,
    slow: state.slow, flaps: state.flaps, warned: state.warned, late: state.late,
  };
}

function latest(known: number | null, at: number): number {
  return known === null || at > known ? at : known;
}

/** A missed slot is nobody's vote; two and more in a row mean that nobody has looked. */
function applyMissed(state: MonitorState, item: MonitorItem & { kind: 'result' }, region: RegionState, place: ItemPlace): MonitorStep {
  const { result, region: name } = item;
  const end = result.scheduled_at + ((result.missed?.count ?? 1) - 1) * state.config.interval_ms;
  const unseenMs = end - (region.last_at ?? 0);
  const counts = !item.late && state.config.status === 'active' && result.assignment_rev >= state.config.check_revision && end > (region.last_at ?? 0);
  if (!counts || unseenMs < 2 * state.config.interval_ms) return { state, effects: [] };
  const reason = result.missed?.reason ?? 'missed';
  const regions: MonitorState['regions'] = { ...state.regions, [name]: withoutVote(region, reason) };
  return decideWithout({ ...state, regions }, result.scheduled_at, place, reason);
}

function applySilence(state: MonitorState, item: MonitorItem & { kind: 'silent' }, place: ItemPlace): MonitorStep {
  const region = state.regions[item.region];
  if (!region || region.verdict === 'unknown' || state.config.status !== 'active' || (region.last_at ?? 0) >= item.at) return { state, effects: [] };
  return decideWithout({ ...state, regions: { ...state.regions, [item.region]: withoutVote(region, 'silent') } }, item.at, place, 'no data');
}

/** Decides when a region has lost its vote; what the others say is as new as what was last heard of them. */
function decideWithout(state: MonitorState, at: number, place: ItemPlace, reason: string): MonitorStep {
  return decide(state, Math.max(at, lastHeard(state), state.booked_until), place, reason);
}

function applyConfig(state: MonitorState, config: MonitorConfig, place: ItemPlace): MonitorStep {
  if (config.revision < state.config.revision) return { state, effects: [] };
  const heartbeat = afterConfig(state, config);
  const known = { config: rememberRegions(state.config, config), ...(heartbeat ? { heartbeat } : {}) };
  const changed: MonitorState = { ...bookWatched(state, config.changed_at), ...known };
  if (config.status === 'active') {
    if (state.config.status === 'active') return heartbeat ? { state: changed, effects: [] } : decide(changed, config.changed_at, place, 'configuration changed');
    return change({ ...changed, regions: {} }, 'unknown', config.changed_at, place, 'resumed');
  }
  const ended = endOutage(changed, config.changed_at);
  if (state.status === 'paused') return ended;
  const reason = config.status === 'deleted' ? 'deleted' : config.status;
  const stopped = change({ ...ended.state, regions: {} }, 'paused', config.changed_at, { n: place.n, index: place.index + ended.effects.length }, reason);
  return { state: stopped.state, effects: [...ended.effects, ...stopped.effects] };
}

/** A monitor that is not watched any more cannot recover: its incident ends without a word of recovery. */
function endOutage(state: MonitorState, at: number): MonitorStep {
  if (!state.outage) return { state, effects: [] };
  return { state: { ...state, outage: null }, effects: [resolution(state, state.outage, at)] };
}

/** Compares the regions' verdict with the status and moves the status where they differ. */
function decide(state: MonitorState, at: number, place: ItemPlace, reason: string): MonitorStep {
  if (state.config.status !== 'active') return { state, effects: [] };
  const verdict = verdictOf(state.config, state.regions);
  const isUp = verdict === 'up' || verdict === 'degraded';
  // A success from before the outage, heard after it began, is no recovery; nor is an older failure an agreement.
  const isOutdated = state.outage ? isUp && at <= state.outage.started_at : verdict === 'down' && hasRecoveredSince(state, at);
  const moves = verdict !== state.status && !isOutdated;
  const told = tellOverlaps(state, moves, place);
  if (!moves) return { state: forgetHeard(told.state), effects: told.effects };
  const moved = change(told.state, verdict, at, { n: place.n, index: place.index + told.effects.length }, reason);
  return { state: forgetHeard(moved.state), effects: [...told.effects, ...moved.effects] };
}

/** Regions are not heard in order: no change comes before the one before it, and time booked past it is booked anew. */
function change(state: MonitorState, to: RuntimeStatus, heardAt: number, place: ItemPlace, reason: string, failure?: HeartbeatFailure): MonitorStep {
  const at = Math.max(heardAt, state.since);
  const since = to === 'down' ? firstFailure(state, at) : at;
  const was = state.status;
  const booked = bookWatched(state, at);
  let next = rebook(booked, since, booked.booked_until, was, to);
  next = { ...next, status: to, since };
  const effects: MonitorEffect[] = [];
  const placeOf = (): ItemPlace => ({ n: place.n, index: place.index + effects.length });
  if (to === 'down' && !next.outage) {
    const outage = newOutage(next, since, placeOf(), failure);
    next = { ...next, outage };
    effects.push(statusEffect(next, was, since, placeOf(), outage.message), opening(next, outage, downRegions(next)));
    effects.push(alert(next, outage, 'monitor.down', { resolvedAt: null, regions: downRegions(next) }, placeOf()));
  } else if ((to === 'up' || to === 'degraded') && next.outage) {
    const outage = next.outage;
    next = { ...next, outage: null };
    effects.push(statusEffect(next, was, since, placeOf(), reason, outage.incident_id));
    effects.push(resolution(next, outage, at));
    effects.push(alert(next, outage, 'monitor.up', { resolvedAt: at, regions: Object.keys(next.regions) }, placeOf()));
  } else {
    effects.push(statusEffect(next, was, since, placeOf(), reason));
  }
  return { state: next, effects };
}

/** When the outage began: the earliest first failure among the regions that are down, not before the last change. */
function firstFailure(state: MonitorState, at: number): number {
  let first = Math.min(at, ongoingSince(state));
  for (const region of Object.values(state.regions)) {
    if (region.verdict === 'down' && region.first_fail_at !== null) first = Math.min(first, region.first_fail_at);
  }
  return Math.max(first, state.since);
}

function newOutage(state: MonitorState, since: number, place: ItemPlace, failure?: HeartbeatFailure): Outage {
  const down = Object.values(state.regions).filter((region) => region.verdict === 'down');
  const error = failure ?? down.find((region) => region.error)?.error ?? { type: 'connection_error' as const, message: 'The check failed' };
  return {
    incident_id: derivedId(state.config.monitor_id, place.n, place.index, 'incident'), started_at: since,
    failure_count: failure ? 1 : down.reduce((sum, region) => sum + region.fails, 0), type: error.type, message: error.message, severity: SEVERITY[error.type],
  };
}
