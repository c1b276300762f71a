import type { CheckResult, ResultBatch } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isLate } from '../../verdicts/monitor-rules.ts';
import { standingOf } from './assignment-rules.ts';
import { HeldBatches } from './held-batches.ts';
import type { refusalOf } from './refusal-rules.ts';
import type { Assignments, Instant, TakenMessage } from './take-limits.ts';

/** How long results wait for the configuration of a monitor that their probe has but the journal does not. */
const MAX_CONFIG_WAIT_MS = 60_000;
/** Monitors awaited; results of further ones are refused. */
const MAX_AWAITED_MONITORS = 1000;
/** A monitor that was awaited in vain holds up its lanes once an hour at most. */
const AWAIT_AGAIN_AFTER_MS = 3_600_000;

/** What has to be known of a batch. */
interface BatchFacts {
  /** Results up to here are taken already. */
  taken: number;
  now: Instant;
  /** The monitor's newest configuration; undefined if it is unknown. */
  configOf(monitorId: string): MonitorConfig | undefined;
  /** Why the result is refused whatever its probe has; null if it is not. */
  refusalOf(result: CheckResult): ReturnType<typeof refusalOf>;
}

/**
 * Decides by the assignments what a probe's results are worth, and has what is not known of them read: no
 * result is refused by what was read before it came.
 */
export class AssignmentCheck {
  readonly #assignments: Assignments;
  readonly #held: HeldBatches;
  /** Since when (monotonic ms) monitors without a configuration have been awaited. */
  readonly #awaited = new Map<string, number>();

  /** `retake` brings back a batch that had to wait. */
  constructor(assignments: Assignments, retake: (message: TakenMessage) => void) {
    this.#assignments = assignments;
    this.#held = new HeldBatches(retake);
  }

  /** True when a message has to wait behind others of its probe. */
  isQueued(message: TakenMessage): boolean {
    return this.#held.queue(message);
  }

  /**
   * Whether a batch must not be taken yet. `held`: it waits for assignments, or its probe, which has named
   * too many monitors that are not its own, has to send it again. `again`: its probe is to send it again
   * soon, since it has a monitor of which the journal is about to hear.
   */
  delayOf(message: TakenMessage, batch: ResultBatch, facts: BatchFacts): 'held' | 'again' | null {
    const { probe_id: probeId, assignmentHistory } = message;
    const unread = new Set<string>();
    let isUnknown = false;
    let isAwaited = false;
    for (const result of batch.results) {
      const { seq, monitor_id: id } = result;
      const until = this.#assignments.until(probeId, id);
      const config = facts.configOf(id);
      if ((until === Infinity && config) || seq <= facts.taken) continue;
      if (until === Infinity) {
        isAwaited ||= facts.refusalOf(result) === 'unknown_monitor' &&
          this.#isAwaited(id, facts.now.monotonic);
      } else if (!assignmentHistory?.has(id) && this.#dependsOn(result, config, until, facts)) {
        unread.add(id);
        isUnknown ||= until === undefined;
      }
    }
    if (unread.size > 0) {
      if (!this.#held.hasRoom) return 'held';
      const reading = this.#assignments.read(probeId, [...unread]);
      if (reading) this.#held.hold(message, reading);
      // What moves no verdict in any case may be taken as it is.
      if (reading !== null || isUnknown) return 'held';
    }
    return isAwaited ? 'again' : null;
  }

  /** What the results of a batch that is not delayed are worth. */
  standing({ probe_id, assignmentHistory }: TakenMessage, monitorId: string, now: number) {
    const until = this.#assignments.until(probe_id, monitorId) ?? assignmentHistory?.get(monitorId) ?? null;
    return standingOf(until, now);
  }

  /** Whether what becomes of a result depends on what the database has of its probe now. */
  #dependsOn(
    result: CheckResult, config: MonitorConfig | undefined, until: number | undefined,
    { now, refusalOf: refusal }: BatchFacts,
  ): boolean {
    const reason = refusal(result);
    if (!config || reason !== null) return until === undefined && reason === 'unknown_monitor';
    // The probe may have been given it again: what would vote then must not be taken for history.
    return until === undefined ||
      (standingOf(until, now.wall) === 'history' && !isLate(config, result.started_at, now.wall));
  }

  /** True while the configuration of a monitor that its probe has may still come. */
  #isAwaited(monitorId: string, now: number): boolean {
    const since = this.#awaited.get(monitorId);
    if (since !== undefined) return now - since < MAX_CONFIG_WAIT_MS;
    if (this.#awaited.size >= MAX_AWAITED_MONITORS) this.#forgetAwaited(now);
    if (this.#awaited.size >= MAX_AWAITED_MONITORS) return false;
    this.#awaited.set(monitorId, now);
    return true;
  }

  #forgetAwaited(now: number): void {
    for (const [monitorId, since] of this.#awaited) {
      if (now - since >= AWAIT_AGAIN_AFTER_MS) this.#awaited.delete(monitorId);
    }
  }
}
