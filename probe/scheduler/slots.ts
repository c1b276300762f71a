/** Slot k is due at `k * interval_ms + phase_ms`, Unix ms. */
export interface Schedule {
  interval_ms: number;
  phase_ms: number;
}

/** A slot later than this is not run but recorded as missed. */
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

/** Whether `atMs` is a regular slot rather than an extra check. */
export function isSlot(schedule: Schedule, atMs: number): boolean {
  return nextSlot(schedule, atMs - 1) === atMs;
}

/** Consecutive slots, one interval apart, starting at `atMs`. */
export interface SlotRun {
  atMs: number;
  count: number;
}

/** What to do with a slot that fires at `nowMs`: run it, or record it and all slots since as missed. */
export type SlotDecision = { run: true; nextMs: number } | { run: false; missed: SlotRun[]; nextMs: number };

/**
 * Skips slots rather than replaying them: a slot runs only if the next is not due and it is not very late.
 */
export function decideSlot(schedule: Schedule, dueMs: number, nowMs: number): SlotDecision {
  const followingMs = nextSlot(schedule, dueMs);
  if (nowMs < followingMs && nowMs - dueMs <= LATE_LIMIT_MS) return { run: true, nextMs: followingMs };
  return { run: false, missed: missedRuns(schedule, dueMs, nowMs), nextMs: nextSlot(schedule, nowMs) };
}

/** The slots from `dueMs` to `nowMs`; a first one off the grid is a run of its own. */
export function missedRuns(schedule: Schedule, dueMs: number, nowMs: number): SlotRun[] {
  const after = slotsBetween(schedule, dueMs, nowMs);
  if (isSlot(schedule, dueMs)) return [{ atMs: dueMs, count: after + 1 }];
  const runs = [{ atMs: dueMs, count: 1 }];
  if (after > 0) runs.push({ atMs: nextSlot(schedule, dueMs), count: after });
  return runs;
}
