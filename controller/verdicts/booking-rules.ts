import type { RuntimeStatus } from './monitor-config.ts';
import { withGap, withoutGap } from './gap-rules.ts';
import type { HourTimes, MonitorState } from './monitor-state.ts';

export const HOUR_MS = 3_600_000;

/** Column of HourTimes that a status is booked in; null for time that does not count. */
function columnOf(status: RuntimeStatus): 0 | 1 | 2 | null {
  if (status === 'up') return 0;
  if (status === 'degraded') return 1;
  return status === 'down' ? 2 : null;
}

/** Start of the hour that an instant (Unix ms) lies in. */
export function hourOf(atMs: number): number {
  return atMs - (atMs % HOUR_MS);
}

/** The state with the time up to `until` booked under its present status. Never goes back. */
export function bookUntil(state: MonitorState, until: number): MonitorState {
  if (until <= state.booked_until) return state;
  const column = columnOf(state.status);
  if (column === null) return { ...withGap(state, state.booked_until, until), booked_until: until };
  const booked = { ...state.booked };
  addTime(booked, column, state.booked_until, until);
  return { ...state, booked, booked_until: until };
}

/**
 * Books like `bookUntil` what results account for: a status holds for two intervals and a timeout after the latest
 * result. When nothing was heard for longer, the time after one interval was not watched and stays free for results
 * that come late.
 */
export function bookWatched(state: MonitorState, until: number): MonitorState {
  const watched = bookGap(state, until);
  return bookUntil(watched, until);
}

/**
 * Books like `bookWatched` an hour that is over, but not what only the next result can tell: whether the status held for longer
 * than an interval after the latest one. The hour is not written before that is known.
 */
export function bookHour(state: MonitorState, until: number): MonitorState {
  const heardAt = lastHeard(state);
  const isOpen = heardAt > 0 && columnOf(state.status) !== null;
  return bookUntil(bookGap(state, until), isOpen ? Math.min(until, heardAt + state.config.interval_ms) : until);
}

/**
 * The state as it is while results come without a break: what is not booked yet is under the present status. After a
 * break the status is booked for one interval past the latest result, and the rest up to `until` left free.
 */
export function bookGap(state: MonitorState, until: number): MonitorState {
  const heardAt = lastHeard(state);
  const { interval_ms: intervalMs, timeout_ms: timeoutMs } = state.config;
  if (heardAt === 0 || until <= heardAt + 2 * intervalMs + timeoutMs || columnOf(state.status) === null) return state;
  const booked = bookUntil(state, Math.min(until, heardAt + intervalMs));
  return { ...withGap(booked, booked.booked_until, until), booked_until: Math.max(booked.booked_until, until) };
}

/** When the latest result that counted was started, Unix ms; 0 without any. */
export function lastHeard(state: MonitorState): number {
  let heardAt = 0;
  for (const name in state.regions) heardAt = Math.max(heardAt, state.regions[name]?.last_at ?? 0);
  return heardAt;
}

/**
 * Books the time between `from` and `to`, already booked under `was`, under `is` instead: an outage counts from its
 * first failed check, which is known to be one only later. Hours that have their rollup already stay as they are.
 */
export function rebook(state: MonitorState, from: number, to: number, was: RuntimeStatus, is: RuntimeStatus): MonitorState {
  const end = Math.min(to, state.booked_until);
  if (from >= end) return state;
  const booked = { ...state.booked };
  const old = columnOf(was);
  const fresh = columnOf(is);
  for (let hour = hourOf(from); hour < end; hour += HOUR_MS) {
    const times = booked[hour];
    if (!times && old !== null) continue;
    const span = Math.min(end, hour + HOUR_MS) - Math.max(from, hour);
    const moved = old === null ? span : Math.min(span, (times as HourTimes)[old]);
    const changed: HourTimes = times ? [...times] : [0, 0, 0];
    if (old !== null) changed[old] -= moved;
    if (fresh !== null) changed[fresh] += moved;
    booked[hour] = changed;
  }
  return old === null && fresh !== null ? withoutGap({ ...state, booked }, from, end) : { ...state, booked };
}

function addTime(booked: Record<number, HourTimes>, column: 0 | 1 | 2, from: number, until: number): void {
  for (let hour = hourOf(from); hour < until; hour += HOUR_MS) {
    const span = Math.min(until, hour + HOUR_MS) - Math.max(from, hour);
    const times: HourTimes = booked[hour] ? [...(booked[hour] as HourTimes)] : [0, 0, 0];
    times[column] += span;
    booked[hour] = times;
  }
}
