import type { CheckResult, ResultBatch } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isLate } from '../../verdicts/monitor-rules.ts';
import { standingOf } from './claim-rules.ts';
import { HeldBatches } from './held-batches.ts';
import type { Assignments, TakenMessage } from './take-limits.ts';

/** What has to be known of a batch. */
interface BatchFacts {
  /** Results up to here are taken already. */
  taken: number;
  /** Unix ms. */
  now: number;
  /** The monitor's newest configuration; null when the result is refused whatever its probe has. */
  configFor(result: CheckResult): MonitorConfig | null;
}

/**
 * Decides by the assignments what a probe's results are worth, and has what is not known of them read: no
 * result is refused by what was read before it came.
 */
export class ClaimCheck {
  readonly #assignments: Assignments;
  readonly #held: HeldBatches;

  /** `retake` brings back a batch that had to wait. */
  constructor(assignments: Assignments, retake: (message: TakenMessage) => void) {
    this.#assignments = assignments;
    this.#held = new HeldBatches(retake);
  }

  /** True when a message has to wait behind others of its probe. */
  isBehind(message: TakenMessage): boolean {
    return this.#held.queue(message);
  }

  /**
   * True when a batch must not be taken: it waits for assignments, or its probe, which has named too many
   * monitors that are not its own, has to send it again.
   */
  holds(message: TakenMessage, { results }: ResultBatch, facts: BatchFacts): boolean {
    const unread = new Set<string>();
    let isUnknown = false;
    for (const result of results) {
      const { seq, monitor_id: id, started_at: startedAt } = result;
      const until = this.#assignments.until(message.probe_id, id);
      if (until === Infinity || seq <= facts.taken || message.claims?.has(id)) continue;
      const config = facts.configFor(result);
      if (!config) continue;
      if (until === undefined) isUnknown = true;
      // The probe may have been given it again: what would vote then must not be taken for history.
      else if (standingOf(until, facts.now) === 'vote' || isLate(config, startedAt, facts.now)) continue;
      unread.add(id);
    }
    if (unread.size === 0) return false;
    if (!this.#held.hasRoom) return true;
    const reading = this.#assignments.read(message.probe_id, [...unread]);
    if (reading) this.#held.hold(message, reading);
    return reading !== null || isUnknown;
  }

  /** What the results of a batch that is not held are worth. */
  standing({ probe_id, claims }: TakenMessage, monitorId: string, now: number) {
    return standingOf(this.#assignments.until(probe_id, monitorId) ?? claims?.get(monitorId) ?? null, now);
  }
}
