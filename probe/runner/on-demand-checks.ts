import { CONFIRMATIONS_PER_INTERVAL, type Assignment } from '../../shared/contracts/assignment.ts';

/** Monitors that wait; what is beyond is left to the schedule. */
const MAX_WAITING = 20_000;

/**
 * Monitors to check beside the schedule, first come first. However often one is asked for, it gets a few
 * checks per interval: controllers refuse what is far more than the schedule.
 */
export class OnDemandChecks {
  readonly #waiting = new Map<string, Assignment>();
  /** Monotonic ms of the latest check of each monitor, for those that ever were asked for. */
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

  /** A check of the monitor has begun, so none is wanted any more. */
  checkStarted(monitorId: string): void {
    this.#waiting.delete(monitorId);
  }

  forget(monitorId: string): void {
    this.#waiting.delete(monitorId);
    this.#takenAt.delete(monitorId);
  }
}
