import type { CheckResult, ResultBatch } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isLate } from '../../verdicts/monitor-rules.ts';
import { standingOf } from './assignment-rules.ts';
import { HeldBatches } from './held-batches.ts';
import type { refusalOf } from './refusal-rules.ts';
import type { Assignments, Instant, TakenMessage } from './take-limits.ts';

/** How long results wait for a monitor's configuration that their probe has but the journal lacks. */
const MAX_CONFIG_WAIT_MS = 60_000;
/** Limit of monitors waiting for a configuration. Results of further ones are refused. */
const MAX_AWAITED_MONITORS = 1000;
/** After a wait in vain, a monitor delays its lanes again at most once per hour. */
const AWAIT_AGAIN_AFTER_MS = 3_600_000;

/** The facts about a batch that the check needs. */
interface BatchFacts {
  /** Results up to here are already recorded. */
  taken: number;
  now: Instant;
  /** The monitor's latest configuration; undefined if unknown. */
  configOf(monitorId: string): MonitorConfig | undefined;
  /** Why the result is refused regardless of assignments; null if it is not. */
  refusalOf(result: CheckResult): ReturnType<typeof refusalOf>;
}

/**
 * Decides by the assignments whether a probe's results count. Reads missing assignments from the database, so
 * that no result is refused on stale data.
 */
export class AssignmentCheck {
  readonly #assignments: Assignments;
  readonly #held: HeldBatches;
  /** Since when (monotonic ms) each monitor's configuration is awaited. */
  readonly #awaited = new Map<string, number>();

  /** `retake` processes a delayed batch again. */
  constructor(assignments: Assignments, retake: (message: TakenMessage) => void) {
    this.#assignments = assignments;
    this.#held = new HeldBatches(retake);
  }

  /** True if a message has to wait behind others of its probe. */
  isQueued(message: TakenMessage): boolean {
    return this.#held.queue(message);
  }

  /**
   * Whether a batch must be delayed. `held`: it waits for assignments, or is dropped because its probe
   * exceeded the miss limit, so the probe must resend it. `again`: the probe must resend it soon, because the
   * journal is about to receive the configuration of one of its monitors.
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
      // Results that affect no verdict in any case need not wait.
      if (reading !== null || isUnknown) return 'held';
    }
    return isAwaited ? 'again' : null;
  }

  /** How the results of an undelayed batch count. */
  standing({ probe_id, assignmentHistory }: TakenMessage, monitorId: string, now: number) {
    const until = this.#assignments.until(probe_id, monitorId) ?? assignmentHistory?.get(monitorId) ?? null;
    return standingOf(until, now);
  }

  /** Whether the decision about a result depends on the current assignments in the database. */
  #dependsOn(
    result: CheckResult, config: MonitorConfig | undefined, until: number | undefined,
    { now, refusalOf: refusal }: BatchFacts,
  ): boolean {
    const reason = refusal(result);
    if (!config || reason !== null) return until === undefined && reason === 'unknown_monitor';
    // The probe may have the monitor again. Results that would vote must not be recorded as history.
    return until === undefined ||
      (standingOf(until, now.wall) === 'history' && !isLate(config, result.started_at, now.wall));
  }

  /** True while the configuration of a monitor that its probe has may still arrive. */
  #isAwaited(monitorId: string, now: number): boolean {
    const since = this.#awaited.get(monitorId);
    if (since !== undefined) return now - since < MAX_CONFIG_WAIT_MS;
    if (this.#awaited.size >= MAX_AWAITED_MONITORS) this.#evictAwaited(now);
    if (this.#awaited.size >= MAX_AWAITED_MONITORS) return false;
    this.#awaited.set(monitorId, now);
    return true;
  }

  #evictAwaited(now: number): void {
    for (const [monitorId, since] of this.#awaited) {
      if (now - since >= AWAIT_AGAIN_AFTER_MS) this.#awaited.delete(monitorId);
    }
  }
}
