import { CONFIRMATIONS_PER_INTERVAL, type Assignment } from '../../shared/contracts/assignment.ts';

/** Maximum waiting monitors; the schedule covers the rest. */
const MAX_WAITING = 20_000;

/**
 * A FIFO queue of monitors to check in addition to the schedule. Each gets only a few checks per interval:
 * controllers reject many more results than scheduled.
 */
export class OnDemandChecks {
  readonly #waiting = new Map<string, Assignment>();
  /** Monotonic ms of the latest check, for monitors that were ever requested. */
  readonly #takenAt = new Map<string, number>();

  add(assignment: Assignment, nowMs: number): void {
    const { monitor_id: id, interval_ms: intervalMs } = assignment;
    const takenAt = this.#takenAt.get(id) ?? -Infinity;
    const isTooFrequent = nowMs - takenAt < intervalMs / CONFIRMATIONS_PER_INTERVAL;
    if (!isTooFrequent && this.#waiting.size < MAX_WAITING) this.#waiting.set(id, assignment);
  }

  take(nowMs: number): Assignment | undefined {
    const assignment = this.#waiting.values().next().value;
    if (!assignment) return undefined;
    this.#waiting.delete(assignment.monitor_id);
    this.#takenAt.set(assignment.monitor_id, nowMs);
    return assignment;
  }

  /** A check of the monitor has started, so a waiting request is obsolete. */
  checkStarted(monitorId: string): void {
    this.#waiting.delete(monitorId);
  }

  forget(monitorId: string): void {
    this.#waiting.delete(monitorId);
    this.#takenAt.delete(monitorId);
  }
}
