import { isSlot, nextSlot, slotsBetween, type Schedule, type SlotRun } from './slots.ts';

/** How far a monitor's slots were covered when the probe stopped. */
export interface LastSeen {
  /** Unix ms: slots due up to here have results, except `open`. */
  untilMs: number;
  /** Due times up to then without a result. */
  open: readonly number[];
  /** Later slots that have a result. */
  recorded: readonly SlotRun[];
}

/**
 * The slots of a monitor missed while the probe was down: all due after `sinceMs` (when the probe became
 * responsible for it) up to `nowMs` that have no result.
 */
export function missedWhileAway(
  schedule: Schedule, sinceMs: number, seen: LastSeen, nowMs: number,
): SlotRun[] {
  const runs: SlotRun[] = [];
  const done = [...seen.recorded].sort((a, b) => a.atMs - b.atMs);
  for (const dueMs of seen.open) {
    const isDone = done.some(
      ({ atMs, count }) => atMs <= dueMs && dueMs < atMs + count * schedule.interval_ms,
    );
    if (!isDone) add(runs, schedule, { atMs: dueMs, count: 1 });
  }
  let cursorMs = Math.max(seen.untilMs, isSlot(schedule, sinceMs) ? sinceMs - 1 : sinceMs);
  for (const run of done) {
    addBetween(runs, schedule, cursorMs, run.atMs - 1);
    cursorMs = Math.max(cursorMs, run.atMs + (run.count - 1) * schedule.interval_ms);
  }
  addBetween(runs, schedule, cursorMs, nowMs);
  return runs;
}

function addBetween(runs: SlotRun[], schedule: Schedule, afterMs: number, untilMs: number): void {
  const count = slotsBetween(schedule, afterMs, untilMs);
  if (count > 0) add(runs, schedule, { atMs: nextSlot(schedule, afterMs), count });
}

/** Merges consecutive slots into one run. */
function add(runs: SlotRun[], schedule: Schedule, run: SlotRun): void {
  const last = runs[runs.length - 1];
  if (last && last.atMs + last.count * schedule.interval_ms === run.atMs) last.count += run.count;
  else runs.push({ ...run });
}
