import { maintenanceIn } from './maintenance-rules.ts';
import type { MonitorConfig, RuntimeStatus } from './monitor-config.ts';
import type { HourTimes, LateHistory, MonitorState, Stretch } from './monitor-state.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Unwatched stretches that a monitor remembers; late results for older ones only count. */
export const GAPS_KEPT = 16;
const NO_HISTORY: LateHistory = Object.freeze({ gaps: [], runs: {}, found: [] });

/** The column of HourTimes for a status; null if its time does not count. */
function columnOf(status: RuntimeStatus): 0 | 1 | 2 | null {
  if (status === 'up') return 0;
  if (status === 'degraded') return 1;
  return status === 'down' ? 2 : null;
}

/** Start of the hour that contains an instant (Unix ms). */
export function hourOf(atMs: number): number {
  return atMs - (atMs % HOUR_MS);
}

/** Books the time up to `until` under the present status. Never moves backwards. */
export function bookUntil(state: MonitorState, until: number): MonitorState {
  if (until <= state.booked_until) return state;
  const column = columnOf(state.status);
  if (column === null) return { ...withGap(state, state.booked_until, until), booked_until: until };
  return { ...withTimes(state, [state.booked_until, until], addTo(column)), booked_until: until };
}

function addTo(column: 0 | 1 | 2): Rebooking {
  return (known = [0, 0, 0], ms) => {
    const times: HourTimes = [...known];
    times[column] += ms;
    return times;
  };
}

/** How long a status holds after the latest result, ms. In a longer silence it holds for one interval. */
export function holdMs({ interval_ms: intervalMs, timeout_ms: timeoutMs }: MonitorConfig): number {
  return 2 * intervalMs + timeoutMs;
}

/** Books like `bookUntil`, except for time that nobody watched, which stays free for late results. */
export function bookWatched(state: MonitorState, until: number): MonitorState {
  return bookUntil(bookGap(state, until), until);
}

/**
 * Books an hour that is over, except for what only the next result can tell: whether the status held for
 * longer than an interval after the latest one. The hour is not written before that is known.
 */
export function bookHour(state: MonitorState, until: number): MonitorState {
  const heardAt = lastHeard(state);
  const isOpen = heardAt > 0 && columnOf(state.status) !== null;
  const known = isOpen ? Math.min(until, heardAt + state.config.interval_ms) : until;
  return bookUntil(bookGap(state, until), known);
}

/** Books a silence that ends at `until`. Returns `state` itself while results arrive without a break. */
export function bookGap(state: MonitorState, until: number): MonitorState {
  const heardAt = lastHeard(state);
  const isSilent = heardAt > 0 && until > heardAt + holdMs(state.config);
  if (!isSilent || columnOf(state.status) === null) return state;
  const booked = bookUntil(state, Math.min(until, heardAt + state.config.interval_ms));
  const bookedUntil = Math.max(booked.booked_until, until);
  return { ...withGap(booked, booked.booked_until, until), booked_until: bookedUntil };
}

/**
 * Books the time before a change that leaves the check as it is. In a silence it books what is known and
 * leaves the rest open: the results of that time may be on their way.
 */
export function bookKnown(state: MonitorState, until: number): MonitorState {
  const isHeard = bookGap(state, until) === state;
  return bookUntil(state, isHeard ? until : lastHeard(state) + state.config.interval_ms);
}

/**
 * Books the part of an unwatched stretch that a result covers, which was on its way when a pause or another
 * check ended the watch: from the one before until the next one is due, or until that end if it is sooner.
 * Hours whose rollup is written stay as they are.
 */
export function bookBelated(state: MonitorState, at: number, status: RuntimeStatus): MonitorState {
  const { config, booked_until: bookedUntil } = state;
  const intervalMs = config.interval_ms;
  const column = columnOf(status);
  const gap = state.late?.gaps.find(([from, until]) => at < until && at + intervalMs > from);
  if (!gap || column === null) return state;
  const from = at + intervalMs <= gap[0] + holdMs(config) ? gap[0] : at;
  const until = gap[1] < at + 2 * intervalMs ? gap[1] : at + intervalMs;
  let first = hourOf(bookedUntil);
  while (first > from && state.booked[first - HOUR_MS]) first -= HOUR_MS;
  const stretch: Stretch = [Math.max(from, first), until];
  return isTime(stretch) ? withoutGap(withTimes(state, stretch, addTo(column)), ...stretch) : state;
}

/** When the latest result that counted was started, Unix ms; 0 if there is none. */
export function lastHeard(state: MonitorState): number {
  let heardAt = 0;
  for (const name in state.regions) heardAt = Math.max(heardAt, state.regions[name]?.last_at ?? 0);
  return heardAt;
}

type Move = [was: RuntimeStatus, is: RuntimeStatus];

/**
 * Moves booked time to another status: an outage counts from its first failed check, but is only known later.
 * Hours whose rollup is written do not change.
 */
export function rebook(state: MonitorState, from: number, until: number, [was, is]: Move): MonitorState {
  const end = Math.min(until, state.booked_until);
  if (from >= end) return state;
  const old = columnOf(was);
  const fresh = columnOf(is);
  const booked = withTimes(state, [from, end], (times, ms) => {
    if (!times && old !== null) return undefined;
    const changed: HourTimes = [...(times ?? [0, 0, 0])];
    const moved = old === null ? ms : Math.min(ms, changed[old]);
    if (old !== null) changed[old] -= moved;
    if (fresh !== null) changed[fresh] += moved;
    return changed;
  });
  return old === null && fresh !== null ? withoutGap(booked, from, end) : booked;
}

/** What an hour has booked when `ms` of it change; undefined leaves it without. */
type Rebooking = (times: HourTimes | undefined, ms: number) => HourTimes | undefined;

/** Changes the times of a stretch, and in the same way what of them is maintenance. */
function withTimes(state: MonitorState, stretch: Stretch, change: Rebooking): MonitorState {
  const booked = changedHours(state.booked, [stretch], change);
  const apart = maintenanceIn(state.config, ...stretch);
  if (apart.length === 0) return { ...state, booked };
  return { ...state, booked, maintained: changedHours(state.maintained ?? {}, apart, change) };
}

function changedHours(
  booked: MonitorState['booked'], stretches: Stretch[], change: Rebooking,
): MonitorState['booked'] {
  const changed = { ...booked };
  for (const [from, until] of stretches) {
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

/** Notes a stretch that nobody watched, but not in a known outage, nor of a heartbeat: no probe sees it. */
function withGap(state: MonitorState, from: number, until: number): MonitorState {
  if (from >= until || state.outage !== null || state.heartbeat || state.status === 'paused') return state;
  const known = lateHistory(state);
  const last = known.gaps.at(-1);
  const gaps: Stretch[] = last && last[1] >= from
    ? [...known.gaps.slice(0, -1), [last[0], Math.max(last[1], until)]]
    : [...known.gaps, [from, until] as Stretch].slice(-GAPS_KEPT);
  return { ...state, late: { ...known, gaps } };
}

/** The unwatched parts of a stretch, in order. */
export function unwatchedParts(state: MonitorState, from: number, until: number): Stretch[] {
  const { gaps } = lateHistory(state);
  return gaps.map(([start, end]): Stretch => [Math.max(start, from), Math.min(end, until)]).filter(isTime);
}

/** The state in which this stretch no longer counts as unwatched. */
export function withoutGap(state: MonitorState, from: number, until: number): MonitorState {
  if (!state.late || unwatchedParts(state, from, until).length === 0) return state;
  const around = state.late.gaps.flatMap(([start, end]): Stretch[] =>
    [[start, Math.min(end, from)], [Math.max(start, until), end]]);
  return { ...state, late: { ...state.late, gaps: around.filter(isTime).slice(-GAPS_KEPT) } };
}

function isTime([from, until]: Stretch): boolean {
  return from < until;
}
