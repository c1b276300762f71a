import { maintenanceIn } from './maintenance-rules.ts';
import type { MonitorConfig, RuntimeStatus } from '../monitor-config.ts';
import type { HourTimes, LateHistory, MonitorState, TimeRange } from '../monitor-state.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** How long after its end an hour closes, so that it includes results still in transit. */
export const HOUR_GRACE_MS = 120_000;

/** Unmonitored ranges remembered per monitor. Late results for older ones only count as results. */
export const MAX_GAPS = 16;
const NO_HISTORY: LateHistory = Object.freeze({ gaps: [], runs: {}, found: [] });

/** The column of HourTimes for a status; null if its time does not count. */
function columnOf(status: RuntimeStatus): 0 | 1 | 2 | null {
  if (status === 'up') return 0;
  if (status === 'degraded') return 1;
  return status === 'down' ? 2 : null;
}

/** Start of the hour that contains a time (Unix ms). */
export function hourOf(atMs: number): number {
  return atMs - (atMs % HOUR_MS);
}

/** Accounts the time up to `until` under the current status. Never moves backwards. */
export function accountUntil(state: MonitorState, until: number): MonitorState {
  if (until <= state.accounted_until) return state;
  const column = columnOf(state.status);
  if (column === null) return { ...withGap(state, state.accounted_until, until), accounted_until: until };
  return { ...withTimes(state, [state.accounted_until, until], addTo(column)), accounted_until: until };
}

function addTo(column: 0 | 1 | 2): TimesChange {
  return (before = [0, 0, 0], ms) => {
    const times: HourTimes = [...before];
    times[column] += ms;
    return times;
  };
}

/**
 * How long a status holds after the latest result, ms. In a longer silence it holds for one interval only.
 */
export function statusHoldMs({ interval_ms: intervalMs, timeout_ms: timeoutMs }: MonitorConfig): number {
  return 2 * intervalMs + timeoutMs;
}

/** Like `accountUntil`, but leaves unmonitored time for late results. */
export function accountMonitored(state: MonitorState, until: number): MonitorState {
  return accountUntil(accountGap(state, until), until);
}

/**
 * Accounts a completed hour, except for what depends on the next result: whether the status held longer than
 * an interval after the latest one. The hour is not written before that is known.
 */
export function accountHour(state: MonitorState, until: number): MonitorState {
  const lastAt = lastResultAt(state);
  const isUndecided = lastAt > 0 && columnOf(state.status) !== null;
  const end = isUndecided ? Math.min(until, lastAt + state.config.interval_ms) : until;
  return accountUntil(accountGap(state, until), Math.min(end, recoveringSince(state, until)));
}

/** The first success of a region that may yet count as up from then on, up to an hour ago; else Infinity. */
function recoveringSince({ status, regions }: MonitorState, until: number): number {
  let first = Infinity;
  if (status !== 'down') return first;
  for (const name in regions) {
    const since = regions[name]?.recovery?.since ?? 0;
    if (since > until - HOUR_MS) first = Math.min(first, since);
  }
  return first;
}

/** Accounts a silence that ends at `until`. Returns `state` itself if there was none. */
export function accountGap(state: MonitorState, until: number): MonitorState {
  const lastAt = lastResultAt(state);
  const isSilent = lastAt > 0 && until > lastAt + statusHoldMs(state.config);
  if (!isSilent || columnOf(state.status) === null) return state;
  const accounted = accountUntil(state, Math.min(until, lastAt + state.config.interval_ms));
  const accountedUntil = Math.max(accounted.accounted_until, until);
  return { ...withGap(accounted, accounted.accounted_until, until), accounted_until: accountedUntil };
}

/**
 * Accounts the time before a change that does not affect the check. In a silence it accounts only what is
 * certain, because results of that time may still arrive.
 */
export function accountCertain(state: MonitorState, until: number): MonitorState {
  const isReporting = accountGap(state, until) === state;
  return accountUntil(state, isReporting ? until : lastResultAt(state) + state.config.interval_ms);
}

/**
 * Accounts unmonitored time covered by a result that arrived after a pause or a changed check: from the
 * previous result until the next one is due, at most until the pause or change. Hours with a written rollup
 * stay unchanged.
 */
export function accountBelated(state: MonitorState, at: number, status: RuntimeStatus): MonitorState {
  const { config, accounted_until: accountedUntil } = state;
  const intervalMs = config.interval_ms;
  const column = columnOf(status);
  const gap = state.late?.gaps.find(([from, until]) => at < until && at + intervalMs > from);
  if (!gap || column === null) return state;
  const from = at + intervalMs <= gap[0] + statusHoldMs(config) ? gap[0] : at;
  const until = gap[1] < at + 2 * intervalMs ? gap[1] : at + intervalMs;
  let first = hourOf(accountedUntil);
  while (first > from && state.accounted[first - HOUR_MS]) first -= HOUR_MS;
  const range: TimeRange = [Math.max(from, first), until];
  return isNonEmpty(range) ? withoutGap(withTimes(state, range, addTo(column)), ...range) : state;
}

/** When the latest result that counted started, Unix ms; 0 if there is none. */
export function lastResultAt(state: MonitorState): number {
  let lastAt = 0;
  for (const name in state.regions) lastAt = Math.max(lastAt, state.regions[name]?.last_at ?? 0);
  return lastAt;
}

type Move = [was: RuntimeStatus, is: RuntimeStatus];

/**
 * Moves accounted time to another status: an outage counts from its first failed check but is confirmed
 * later. Hours with a written rollup stay unchanged.
 */
export function moveTime(state: MonitorState, from: number, until: number, [was, is]: Move): MonitorState {
  const end = Math.min(until, state.accounted_until);
  if (from >= end) return state;
  const old = columnOf(was);
  const fresh = columnOf(is);
  const accounted = withTimes(state, [from, end], (times, ms) => {
    if (!times && old !== null) return undefined;
    const changed: HourTimes = [...(times ?? [0, 0, 0])];
    const moved = old === null ? ms : Math.min(ms, changed[old]);
    if (old !== null) changed[old] -= moved;
    if (fresh !== null) changed[fresh] += moved;
    return changed;
  });
  return old === null && fresh !== null ? withoutGap(accounted, from, end) : accounted;
}

/** An hour's times after a change of `ms`; undefined removes them. */
type TimesChange = (times: HourTimes | undefined, ms: number) => HourTimes | undefined;

/** Changes the times of a range, and its maintenance times in the same way. */
function withTimes(state: MonitorState, range: TimeRange, change: TimesChange): MonitorState {
  const accounted = changedHours(state.accounted, [range], change);
  const maintenance = state.config.maintenance?.length ? maintenanceIn(state.config, ...range) : [];
  if (maintenance.length === 0) return { ...state, accounted };
  return { ...state, accounted, maintained: changedHours(state.maintained ?? {}, maintenance, change) };
}

function changedHours(
  accounted: MonitorState['accounted'], ranges: TimeRange[], change: TimesChange,
): MonitorState['accounted'] {
  const changed = { ...accounted };
  for (const [from, until] of ranges) {
    for (let hour = hourOf(from); hour < until; hour += HOUR_MS) {
      const times = change(changed[hour], Math.min(until, hour + HOUR_MS) - Math.max(from, hour));
      if (times) changed[hour] = times;
    }
  }
  return changed;
}

export function lateHistory(state: MonitorState): LateHistory {
  return state.late ?? NO_HISTORY;
}

/** Records unmonitored time, except in a known outage and for heartbeats, which no probe checks. */
function withGap(state: MonitorState, from: number, until: number): MonitorState {
  if (from >= until || state.outage !== null || state.heartbeat || state.status === 'paused') return state;
  const history = lateHistory(state);
  const last = history.gaps.at(-1);
  const gaps: TimeRange[] = last && last[1] >= from
    ? [...history.gaps.slice(0, -1), [last[0], Math.max(last[1], until)]]
    : [...history.gaps, [from, until] as TimeRange].slice(-MAX_GAPS);
  return { ...state, late: { ...history, gaps } };
}

/** The unmonitored parts of a time range, in order. */
export function unmonitoredParts(state: MonitorState, from: number, until: number): TimeRange[] {
  const { gaps } = lateHistory(state);
  return gaps
    .map(([start, end]): TimeRange => [Math.max(start, from), Math.min(end, until)])
    .filter(isNonEmpty);
}

/** Marks a time range as monitored. */
export function withoutGap(state: MonitorState, from: number, until: number): MonitorState {
  if (!state.late || unmonitoredParts(state, from, until).length === 0) return state;
  const around = state.late.gaps.flatMap(([start, end]): TimeRange[] =>
    [[start, Math.min(end, from)], [Math.max(start, until), end]]);
  return { ...state, late: { ...state.late, gaps: around.filter(isNonEmpty).slice(-MAX_GAPS) } };
}

function isNonEmpty([from, until]: TimeRange): boolean {
  return from < until;
}
