import { isoTime } from '../../../shared/time.ts';
import { accountUntil } from '../time-accounting/time-accounting-rules.ts';
import type { CheckError } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../monitor-config.ts';
import type { HeartbeatState, JournaledPing, MonitorState } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { countFailure, moveStatus } from './status-rules.ts';

/** How long after a ping the next one is overdue, ms. */
function overdueAfterMs({ heartbeat }: MonitorConfig): number {
  return heartbeat ? heartbeat.interval_ms + heartbeat.grace_ms : 0;
}

/** A heartbeat that expects a ping from `at` on (Unix ms); undefined for monitors of other types. */
export function startCountdown(
  config: MonitorConfig, at: number, lastAt: number | null = null,
): HeartbeatState | undefined {
  if (!config.heartbeat) return undefined;
  const deadline = at + overdueAfterMs(config);
  return { last_at: lastAt, started_at: null, deadline, not_before: deadline };
}

/**
 * A successful ping sets the monitor up, a failed one sets it down at once, and a start is only recorded.
 * Pings older than the last one, or for an inactive monitor, are ignored.
 */
export function applyPing(step: MonitorStep, ping: JournaledPing): void {
  const { state, state: { heartbeat, config } } = step;
  const { at } = ping;
  if (!heartbeat || config.status !== 'active') return;
  if (ping.kind === 'start') {
    step.state = { ...state, heartbeat: { ...heartbeat, started_at: at } };
    return;
  }
  const isFailure = ping.kind === 'fail';
  const outcome = isFailure ? 'last_failure_at' : 'last_success_at';
  const last_check_at = Math.max(state.last_check_at ?? 0, at);
  step.state = { ...state, last_check_at, [outcome]: Math.max(state[outcome] ?? 0, at) };
  if (at <= (heartbeat.last_at ?? 0)) return;
  const outage = isFailure ? countFailure(state.outage) : state.outage;
  const deadline = Math.max(at + overdueAfterMs(config), heartbeat.not_before);
  const waiting: HeartbeatState = { ...heartbeat, last_at: at, started_at: null, deadline };
  step.state = { ...step.state, outage, heartbeat: waiting };
  const to = isFailure ? 'down' : 'up';
  if (state.status === to) return;
  if (isFailure) moveStatus(step, { to, at, reason: 'failure reported', error: pingFailure(ping) });
  else moveStatus(step, { to, at, reason: 'ping received' });
}

/** No ping arrived by the deadline `at`. No effect if one arrived or the deadline moved meanwhile. */
export function applyOverdue(step: MonitorStep, at: number): void {
  const { state, state: { heartbeat, config } } = step;
  if (!heartbeat || heartbeat.deadline > at || config.status !== 'active' || state.status === 'down') return;
  const last_check_at = Math.max(state.last_check_at ?? 0, at);
  step.state = { ...state, last_check_at, last_failure_at: Math.max(state.last_failure_at ?? 0, at) };
  const every = `expected every ${Math.round((config.heartbeat?.interval_ms ?? 0) / 1000)} s`;
  const since = heartbeat.last_at === null
    ? `No ping yet; waiting since ${isoTime(heartbeat.deadline - overdueAfterMs(config))}`
    : `No ping since ${isoTime(heartbeat.last_at)}`;
  const error: CheckError = { type: 'timeout', message: `${since}; ${every}` };
  moveStatus(step, { to: 'down', at, reason: 'no ping', error });
}

/**
 * No pings were processed from `from` to `until`: that time is not accounted, and the deadline moves back by
 * it. If a ping was due meanwhile, it may be lost, so the countdown restarts.
 */
export function applyUnmonitored(step: MonitorStep, from: number, until: number): void {
  const { heartbeat, config } = step.state;
  if (!heartbeat || config.status !== 'active' || until <= from) return;
  const accounted = accountUntil(step.state, from);
  step.state = { ...accounted, accounted_until: Math.max(accounted.accounted_until, until) };
  if (heartbeat.deadline <= from) return;
  // An idle shard may be unmonitored long before this countdown began. Only the time since then counts.
  const missedFrom = Math.max(from, heartbeat.deadline - overdueAfterMs(config));
  const deadline = isExpectedBy(config, heartbeat, until)
    ? Math.max(heartbeat.deadline, until + overdueAfterMs(config))
    : heartbeat.deadline + Math.max(0, until - missedFrom);
  step.state = { ...step.state, heartbeat: { ...heartbeat, deadline, not_before: deadline } };
}

/**
 * The heartbeat under a changed configuration. A new schedule or a resumed monitor restarts the countdown.
 */
export function heartbeatAfterConfig(
  before: MonitorState, config: MonitorConfig,
): HeartbeatState | undefined {
  const { heartbeat: current, config: old } = before;
  const isUnchanged = old.status === config.status
    && old.heartbeat?.interval_ms === config.heartbeat?.interval_ms
    && old.heartbeat?.grace_ms === config.heartbeat?.grace_ms;
  return current && isUnchanged ? current : startCountdown(config, config.changed_at, current?.last_at);
}

/** Jobs are not punctual: a ping may be early by this share of its interval. */
const MAX_EARLY_SHARE = 0.1;

function isExpectedBy(config: MonitorConfig, heartbeat: HeartbeatState, until: number): boolean {
  const { interval_ms: intervalMs = 0, grace_ms: graceMs = 0 } = config.heartbeat ?? {};
  const maxEarlyMs = Math.max(graceMs, intervalMs * MAX_EARLY_SHARE);
  return heartbeat.last_at === null || until > heartbeat.deadline - graceMs - maxEarlyMs;
}

/** The error of a ping that reports a failure. */
export function pingFailure({ exit_code: code }: Pick<JournaledPing, 'exit_code'>): CheckError {
  const message = code === null ? 'The job reported a failure' : `The job ended with exit code ${code}`;
  return { type: 'status_code', message };
}
