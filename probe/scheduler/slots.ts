/** What a schedule is made of: slot k is due at `k * interval_ms + phase_ms`, Unix ms. */
export interface Schedule {
  interval_ms: number;
  phase_ms: number;
}

/** A slot that comes later than this is not run any more but recorded as missed, ms. */
export const LATE_LIMIT_MS = 5000;

/** The first slot strictly after `atMs`. */
export function nextSlot(schedule: Schedule, atMs: number): number {
  const { interval_ms: interval, phase_ms: phase } = schedule;
  return (Math.floor((atMs - phase) / interval) + 1) * interval + phase;
}

/** Number of slots in (`afterMs`, `untilMs`]. */
export function slotsBetween(schedule: Schedule, afterMs: number, untilMs: number): number {
  const { interval_ms: interval, phase_ms: phase } = schedule;
  return Math.max(0, Math.floor((untilMs - phase) / interval) - Math.floor((afterMs - phase) / interval));
}

/** Whether `atMs` is a slot of the schedule, not an extra check between two. */
export function isSlot(schedule: Schedule, atMs: number): boolean {
  return nextSlot(schedule, atMs - 1) === atMs;
}

/** A stretch of slots, one interval apart, from `atMs` on. */
export interface SlotRun {
  atMs: number;
  count: number;
}

/**
 * What to do about a slot that comes up at `nowMs`: run it, or record it and all that passed since, and go
 * on.
 */
export type SlotDecision = { run: true; nextMs: number } | { run: false; missed: SlotRun[]; nextMs: number };

/** Skip, never replay: only a slot that is neither overtaken by the next nor very late is run. */
export function decideSlot(schedule: Schedule, dueMs: number, nowMs: number): SlotDecision {
  const followingMs = nextSlot(schedule, dueMs);
  if (nowMs < followingMs && nowMs - dueMs <= LATE_LIMIT_MS) return { run: true, nextMs: followingMs };
  return { run: false, missed: missedRuns(schedule, dueMs, nowMs), nextMs: nextSlot(schedule, nowMs) };
}

/** The slots from `dueMs` up to `nowMs`; a first one that is off the grid stands alone. */
export function missedRuns(schedule: Schedule, dueMs: number, nowMs: number): SlotRun[] {
  const after = slotsBetween(schedule, dueMs, nowMs);
  if (isSlot(schedule, dueMs)) return [{ atMs: dueMs, count: after + 1 }];
  const runs = [{ atMs: dueMs, count: 1 }];
  if (after > 0) runs.push({ atMs: nextSlot(schedule, dueMs), count: after });
  return runs;
}
