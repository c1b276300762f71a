import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { SlotRun } from '../scheduler/slots.ts';

/**
 * A record of missed slots is held for so long, to include those that follow. An overloaded probe would
 * otherwise record, send and store a result for each.
 */
const HOLD_MS = 5000;

interface Missed {
  assignment: Assignment;
  /** Without any result in between. */
  inRow: number;
  /** The latest of them, not recorded yet. */
  held: SlotRun | null;
}

/** Slots of each monitor that were missed in a row because of overload. */
export class MissedSlots {
  readonly #byMonitor = new Map<string, Missed>();
  readonly #record: (assignment: Assignment, run: SlotRun) => void;

  constructor(record: (assignment: Assignment, run: SlotRun) => void) {
    this.#record = record;
  }

  inRow(monitorId: string): number {
    return this.#byMonitor.get(monitorId)?.inRow ?? 0;
  }

  /** Adds slots, to be recorded together with those that follow if these are due within seconds. */
  add(assignment: Assignment, run: SlotRun, nowMs: number): void {
    const missed = this.#of(assignment);
    missed.inRow += run.count;
    const { held } = missed;
    if (held && held.atMs + held.count * assignment.interval_ms === run.atMs) held.count += run.count;
    else {
      this.#recordHeld(missed);
      missed.held = { ...run };
      missed.assignment = assignment;
    }
    const nextMs = nowMs + assignment.interval_ms;
    if (nextMs - (missed.held as SlotRun).atMs > HOLD_MS) this.#recordHeld(missed);
  }

  /** Counts a slot whose result is recorded separately. */
  count(assignment: Assignment): void {
    this.#of(assignment).inRow += 1;
  }

  /** Records what is held, because another result follows. */
  recordHeld(monitorId: string): void {
    const missed = this.#byMonitor.get(monitorId);
    if (missed) this.#recordHeld(missed);
  }

  /** Records what is held; the next missed slot is the first in a row. */
  end(monitorId: string): void {
    if (this.#byMonitor.size === 0) return;
    this.recordHeld(monitorId);
    this.#byMonitor.delete(monitorId);
  }

  endAll(): void {
    for (const monitorId of this.#byMonitor.keys()) this.end(monitorId);
  }

  /** Due times of all slots held. */
  * held(): Generator<{ monitorId: string; dueMs: number }> {
    for (const [monitorId, { assignment, held }] of this.#byMonitor) {
      for (let at = 0; held && at < held.count; at += 1) {
        yield { monitorId, dueMs: held.atMs + at * assignment.interval_ms };
      }
    }
  }

  #of(assignment: Assignment): Missed {
    const { monitor_id: id } = assignment;
    let missed = this.#byMonitor.get(id);
    if (!missed) this.#byMonitor.set(id, (missed = { assignment, inRow: 0, held: null }));
    return missed;
  }

  #recordHeld(missed: Missed): void {
    const { assignment, held } = missed;
    missed.held = null;
    if (held) this.#record(assignment, held);
  }
}
