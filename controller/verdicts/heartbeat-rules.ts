import type { ErrorType } from '../../shared/contracts/result.ts';
import { isoTime } from '../../shared/time.ts';
import type { MonitorConfig, RuntimeStatus } from './monitor-config.ts';
import { bookUntil } from './booking-rules.ts';
import type { HeartbeatState, JournaledPing, MonitorState, MonitorStep } from './monitor-state.ts';

/** Why a heartbeat is down. */
export interface HeartbeatFailure {
  type: ErrorType;
  message: string;
}

/** Moves the status; by the monitor's rules. */
export type Move = (state: MonitorState, to: RuntimeStatus, at: number, reason: string, failure?: HeartbeatFailure) => MonitorStep;

/** How long after a ping the next one may come, ms. */
function patienceMs(config: MonitorConfig): number {
  return config.heartbeat ? config.heartbeat.interval_ms + config.heartbeat.grace_ms : 0;
}

/** A heartbeat that waits for a ping from `at` on (Unix ms); undefined for monitors of other types. */
export function waitingFrom(config: MonitorConfig, at: number, lastAt: number | null = null): HeartbeatState | undefined {
  if (!config.heartbeat) return undefined;
  const deadline = at + patienceMs(config);
  return { last_at: lastAt, started_at: null, deadline, not_before: deadline };
}

/**
 * What a ping makes of a heartbeat: a success is up, a failure down at once, a start only noted. One that comes after a
 * later one, or while the monitor is not active, moves nothing.
 */
export function applyPing(state: MonitorState, ping: JournaledPing, move: Move): MonitorStep {
  const { heartbeat } = state;
  if (!heartbeat || state.config.status !== 'active') return { state, effects: [] };
  if (ping.kind === 'start') return { state: { ...state, heartbeat: { ...heartbeat, started_at: ping.at } }, effects: [] };
  const { at } = ping;
  const isFailure = ping.kind === 'fail';
  const heard: MonitorState = {
    ...state,
    last_check_at: Math.max(state.last_check_at ?? 0, at),
    last_success_at: isFailure ? state.last_success_at : Math.max(state.last_success_at ?? 0, at),
    last_failure_at: isFailure ? Math.max(state.last_failure_at ?? 0, at) : state.last_failure_at,
  };
  if (at <= (heartbeat.last_at ?? 0)) return { state: heard, effects: [] };
  const outage = isFailure && state.outage ? { ...state.outage, failure_count: state.outage.failure_count + 1 } : state.outage;
  const deadline = Math.max(at + patienceMs(state.config), heartbeat.not_before);
  const waiting: MonitorState = { ...heard, outage, heartbeat: { ...heartbeat, last_at: at, started_at: null, deadline } };
  const to = isFailure ? 'down' : 'up';
  if (state.status === to) return { state: waiting, effects: [] };
  return isFailure ? move(waiting, to, at, 'failure reported', failureOf(ping)) : move(waiting, to, at, 'ping received');
}

/** No ping came by `at`, its deadline. Nothing happens when one has come, or the deadline has moved, meanwhile. */
export function applyOverdue(state: MonitorState, at: number, move: Move): MonitorStep {
  const { heartbeat, config } = state;
  if (!heartbeat || config.status !== 'active' || state.status === 'down' || heartbeat.deadline > at) return { state, effects: [] };
  const failed = { ...state, last_check_at: Math.max(state.last_check_at ?? 0, at), last_failure_at: Math.max(state.last_failure_at ?? 0, at) };
  return move(failed, 'down', at, 'no ping', { type: 'timeout', message: missedMessage(config, heartbeat) });
}

/**
 * Nobody took pings between `from` and `until`: that time is not booked and the deadline is later by it. Where a ping was
 * to be expected in that time it may be lost, so that the wait begins anew.
 */
export function applyUnwatched(state: MonitorState, from: number, until: number): MonitorState {
  const { heartbeat, config } = state;
  if (!heartbeat || config.status !== 'active' || until <= from) return state;
  const booked = bookUntil(state, from);
  const skipped = { ...booked, booked_until: Math.max(booked.booked_until, until) };
  if (heartbeat.deadline <= from) return skipped;
  // A shard that was idle was not watched since long before this wait began; only what falls into the wait counts.
  const missedFrom = Math.max(from, heartbeat.deadline - patienceMs(config));
  const deadline = isExpectedBy(config, heartbeat, until)
    ? Math.max(heartbeat.deadline, until + patienceMs(config)) : heartbeat.deadline + Math.max(0, until - missedFrom);
  return { ...skipped, heartbeat: { ...heartbeat, deadline, not_before: deadline } };
}

/** The heartbeat under a changed configuration: other times, or a start after a pause, begin the wait anew. */
export function afterConfig(before: MonitorState, config: MonitorConfig): HeartbeatState | undefined {
  const known = before.heartbeat;
  if (!config.heartbeat) return undefined;
  const isAsBefore = before.config.status === config.status && before.config.heartbeat?.interval_ms === config.heartbeat.interval_ms
    && before.config.heartbeat.grace_ms === config.heartbeat.grace_ms;
  return known && isAsBefore ? known : waitingFrom(config, config.changed_at, known?.last_at ?? null);
}

/** Jobs are not punctual: a ping may come this much of its interval early. */
const EARLY = 0.1;

function isExpectedBy(config: MonitorConfig, heartbeat: HeartbeatState, until: number): boolean {
  const { interval_ms: intervalMs = 0, grace_ms: graceMs = 0 } = config.heartbeat ?? {};
  return heartbeat.last_at === null || until > heartbeat.deadline - graceMs - Math.max(graceMs, intervalMs * EARLY);
}

function failureOf(ping: JournaledPing): HeartbeatFailure {
  const message = ping.exit_code === null ? 'The job reported a failure' : `The job ended with exit code ${ping.exit_code}`;
  return { type: 'status_code', message };
}

function missedMessage(config: MonitorConfig, heartbeat: HeartbeatState): string {
  const every = `one is due every ${Math.round((config.heartbeat?.interval_ms ?? 0) / 1000)} s`;
  if (heartbeat.last_at !== null) return `No ping since ${isoTime(heartbeat.last_at)}; ${every}`;
  return `No ping yet, waiting since ${isoTime(heartbeat.deadline - patienceMs(config))}; ${every}`;
}
