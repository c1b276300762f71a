import type { LateHistory, MonitorState, Stretch } from './monitor-state.ts';

/** Stretches without watch that a monitor remembers, the latest; what came late for an older one only counts. */
export const GAPS_KEPT = 16;

const NOTHING: LateHistory = Object.freeze({ gaps: [], runs: {}, found: [] });

export function lateHistory(state: MonitorState): LateHistory {
  return state.late ?? NOTHING;
}

/**
 * The state that knows that nobody watched from `from` to `until`. Time of an outage that is known is none: it needs no
 * other telling. Nor is that of a heartbeat, which no probe can speak for.
 */
export function withGap(state: MonitorState, from: number, until: number): MonitorState {
  if (from >= until || state.outage !== null || state.heartbeat !== undefined || state.status === 'paused') return state;
  const known = lateHistory(state);
  const last = known.gaps.at(-1);
  const gaps: Stretch[] = last && last[1] >= from
    ? [...known.gaps.slice(0, -1), [last[0], Math.max(last[1], until)]]
    : [...known.gaps, [from, until] as Stretch].slice(-GAPS_KEPT);
  return { ...state, late: { ...known, gaps } };
}

/** The parts of a stretch that nobody watched, in order. */
export function freeParts(state: MonitorState, from: number, until: number): Stretch[] {
  return lateHistory(state).gaps.flatMap(([start, end]): Stretch[] => {
    const part: Stretch = [Math.max(start, from), Math.min(end, until)];
    return part[0] < part[1] ? [part] : [];
  });
}

/** The state in which this stretch is free no more. */
export function withoutGap(state: MonitorState, from: number, until: number): MonitorState {
  if (!state.late || freeParts(state, from, until).length === 0) return state;
  const gaps = state.late.gaps.flatMap(([start, end]): Stretch[] => {
    const around: Stretch[] = [[start, Math.min(end, from)], [Math.max(start, until), end]];
    return around.filter(([one, other]) => one < other);
  });
  return { ...state, late: { ...state.late, gaps: gaps.slice(-GAPS_KEPT) } };
}
