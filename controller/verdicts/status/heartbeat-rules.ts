import { isoTime } from '../../../shared/time.ts';
import { accountUntil } from '../time-accounting/time-accounting-rules.ts';
import type { CheckError } from '../../../shared/contracts/result.ts';
import { MAX_EARLY_MS, type HeartbeatConfig, type MonitorConfig } from '../monitor-config.ts';
import type { HeartbeatState, JournaledPing, MonitorState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { countFailure, moveStatus } from './status-rules.ts';
import { firstRunDeadline, runsAfterEnd, runsAfterStart } from './run-rules.ts';

/** When the next ping is overdue, Unix ms: after one at `at`, or after its due time by the schedule. */
function overdueAfter({ interval_ms, grace_ms }: HeartbeatConfig, at: number, dueAt?: number | null): number {
  return (dueAt ?? at + interval_ms) + grace_ms;
}

/**
 * A heartbeat that expects a ping from the change of its configuration on; undefined for monitors of other
 * types.
 */
export function startCountdown(
  config: MonitorConfig, lastAt: number | null = null,
): HeartbeatState | undefined {
  const { heartbeat, changed_at: at } = config;
  if (!heartbeat) return undefined;
  const deadline = overdueAfter(heartbeat, at, heartbeat.schedule && heartbeat.first_due_at);
  return { last_at: lastAt, deadline, not_before: deadline };
}

/** When the heartbeat is overdue, Unix ms: its next ping, or the end of a run. */
export function overdueAt({ deadline, runs }: HeartbeatState): number {
  return Math.min(deadline, firstRunDeadline(runs ?? []));
}

/**
 * A successful ping sets the monitor up, a failed one sets it down at once, and a start begins a run. Pings
 * older than the last one, or for an inactive monitor, are ignored.
 */
export function applyPing(step: MonitorStep, ping: JournaledPing): void {
  const { state, state: { heartbeat, config } } = step;
  const { at } = ping;
  if (!heartbeat || !config.heartbeat || config.status !== 'active') return;
  if (ping.kind === 'start') return applyStart(step, ping);
  const isFailure = ping.kind === 'fail';
  const outcome = isFailure ? 'last_failure_at' : 'last_success_at';
  const last_check_at = Math.max(state.last_check_at ?? 0, at);
  const left = runsAfterEnd(heartbeat.runs ?? [], ping);
  // A run that became overdue during an outage does not start another one.
  const runs = state.status === 'down' ? left.filter(({ deadline }) => (deadline ?? Infinity) > at) : left;
  step.state = {
    ...state, last_check_at, [outcome]: Math.max(state[outcome] ?? 0, at), heartbeat: { ...heartbeat, runs },
  };
  if (at < (heartbeat.last_at ?? 0)) return;
  const outage = isFailure ? countFailure(state.outage) : state.outage;
  const next = { ...expectedAfter(heartbeat, config.heartbeat, ping), last_at: at, runs };
  step.state = { ...step.state, outage, heartbeat: next };
  const to = isFailure ? 'down' : 'up';
  if (state.status === to) return;
  if (isFailure) moveStatus(step, { to, at, reason: 'failure reported', error: pingFailure(ping) });
  else moveStatus(step, { to, at, reason: 'ping received' });
}

/** With a limit, the start of a run is in time for its due time, and its end has a deadline of its own. */
function applyStart(step: MonitorStep, ping: JournaledPing): void {
  const { heartbeat, config } = step.state as MonitorState & { heartbeat: HeartbeatState };
  const settings = config.heartbeat as HeartbeatConfig;
  const limitMs = settings.max_runtime_ms ?? null;
  const runs = runsAfterStart(heartbeat.runs ?? [], ping, limitMs);
  const current = limitMs === null ? heartbeat : expectedAfter(heartbeat, settings, ping);
  step.state = { ...step.state, heartbeat: { ...current, runs } };
}

/** The heartbeat with the deadline that a ping sets. */
function expectedAfter(
  { lost_until: _lost, ...heartbeat }: HeartbeatState, settings: HeartbeatConfig,
  { at, due_at }: JournaledPing,
): HeartbeatState {
  const deadline = Math.max(overdueAfter(settings, at, settings.schedule && due_at), heartbeat.not_before);
  return { ...heartbeat, deadline };
}

/**
 * No ping arrived by the deadline, or a run did not end by its own, at `at`. No effect if one arrived or the
 * deadline moved meanwhile.
 */
export function applyOverdue(step: MonitorStep, at: number): void {
  const { state, state: { heartbeat, config } } = step;
  if (!heartbeat || config.status !== 'active' || state.status === 'down') return;
  const { deadline, lost_until: lostUntil, runs = [] } = heartbeat;
  const runDeadline = firstRunDeadline(runs);
  const isSilent = deadline <= at && lostUntil === undefined;
  if (!isSilent && runDeadline > at) return;
  const last_check_at = Math.max(state.last_check_at ?? 0, at);
  step.state = {
    ...state, last_check_at, last_failure_at: Math.max(state.last_failure_at ?? 0, at),
    heartbeat: { ...heartbeat, runs: runs.filter((run) => (run.deadline ?? Infinity) > at) },
  };
  const reason = isSilent ? 'no ping' : 'run did not end';
  const message = isSilent ? silenceOf(heartbeat, config) : unendedRun(runDeadline, config);
  moveStatus(step, { to: 'down', at, reason, error: { type: 'timeout', message } });
}

function silenceOf({ last_at, deadline }: HeartbeatState, { heartbeat }: MonitorConfig): string {
  const { interval_ms: intervalMs, grace_ms: graceMs, schedule } = heartbeat as HeartbeatConfig;
  const last = last_at === null ? 'No ping yet' : `No ping since ${isoTime(last_at)}`;
  if (schedule) {
    const { cron, timezone } = schedule;
    return `${last}; due at ${isoTime(deadline - graceMs)} by the schedule ${cron} (${timezone})`;
  }
  const since = last_at === null ? `; waiting since ${isoTime(deadline - graceMs - intervalMs)}` : '';
  return `${last}${since}; expected every ${Math.round(intervalMs / 1000)} s`;
}

function unendedRun(deadline: number, { heartbeat }: MonitorConfig): string {
  const limitMs = heartbeat?.max_runtime_ms ?? 0;
  return `The run that started at ${isoTime(deadline - limitMs)} did not end within ${limitMs / 1000} s`;
}

/** The due time after unmonitored time in which a ping may have been lost. No effect if one arrived since. */
export function applyDue(step: MonitorStep, at: number): void {
  const { heartbeat, config } = step.state;
  if (heartbeat?.lost_until === undefined || !config.heartbeat) return;
  const { lost_until: lostUntil, ...rest } = heartbeat;
  const deadline = overdueAfter(config.heartbeat, lostUntil, at);
  step.state = { ...step.state, heartbeat: { ...rest, deadline } };
}

/**
 * No pings were processed from `from` to `until`: that time is not accounted, and the deadline moves back by
 * it. If a ping was due meanwhile, it may be lost, so the countdown restarts, or the next due time counts.
 */
export function applyUnmonitored(step: MonitorStep, from: number, until: number): void {
  const { heartbeat, config, config: { heartbeat: settings } } = step.state;
  if (!heartbeat || !settings || config.status !== 'active' || until <= from) return;
  const accounted = accountUntil(step.state, from);
  step.state = { ...accounted, accounted_until: Math.max(accounted.accounted_until, until) };
  const runs = heartbeat.runs?.map((run) => ((run.deadline ?? 0) > from ? { ...run, deadline: null } : run));
  const current: HeartbeatState = runs ? { ...heartbeat, runs } : heartbeat;
  step.state = { ...step.state, heartbeat: withoutUnmonitored(current, settings, [from, until]) };
}

function withoutUnmonitored(
  heartbeat: HeartbeatState, settings: HeartbeatConfig, [from, until]: [number, number],
): HeartbeatState {
  const { deadline: current, lost_until: lostUntil } = heartbeat;
  if (current <= from && lostUntil === undefined) return heartbeat;
  if (settings.schedule) {
    const isLost = lostUntil !== undefined || until > current - settings.grace_ms - MAX_EARLY_MS;
    return isLost ? { ...heartbeat, lost_until: until } : heartbeat;
  }
  // An idle shard may be unmonitored long before this countdown began. Only the time since then counts.
  const missedFrom = Math.max(from, current - overdueAfter(settings, 0));
  const deadline = isExpectedBy(settings, heartbeat, until)
    ? Math.max(current, overdueAfter(settings, until))
    : current + Math.max(0, until - missedFrom);
  return { ...heartbeat, deadline, not_before: deadline };
}

/**
 * The heartbeat under a changed configuration. A new schedule or a resumed monitor restarts the countdown.
 */
export function heartbeatAfterConfig(
  before: MonitorState, config: MonitorConfig,
): HeartbeatState | undefined {
  const { heartbeat: current, config: old } = before;
  const isUnchanged = old.status === config.status && scheduleOf(old) === scheduleOf(config);
  return current && isUnchanged ? current : startCountdown(config, current?.last_at);
}

function scheduleOf({ heartbeat }: MonitorConfig): string {
  const { interval_ms, grace_ms, max_runtime_ms, schedule } = heartbeat ?? {};
  return [interval_ms, grace_ms, max_runtime_ms, schedule?.cron, schedule?.timezone].join();
}

/** Jobs are not punctual: a ping may be early by this share of its interval. */
const MAX_EARLY_SHARE = 0.1;

function isExpectedBy(settings: HeartbeatConfig, heartbeat: HeartbeatState, until: number): boolean {
  const { interval_ms: intervalMs, grace_ms: graceMs } = settings;
  const maxEarlyMs = Math.max(graceMs, intervalMs * MAX_EARLY_SHARE);
  return heartbeat.last_at === null || until > heartbeat.deadline - graceMs - maxEarlyMs;
}

/** The error of a ping that reports a failure. */
export function pingFailure({ exit_code: code }: Pick<JournaledPing, 'exit_code'>): CheckError {
  const message = code === null ? 'The job reported a failure' : `The job ended with exit code ${code}`;
  return { type: 'status_code', message };
}
