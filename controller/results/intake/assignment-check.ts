import type { CheckResult, ResultBatch } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isLate } from '../../verdicts/monitor-rules.ts';
import type { refusalOf } from './refusal-rules.ts';
import type { Assignments, Instant, TakenMessage, AssignmentHistory } from './take-limits.ts';

/**
 * How long a probe that lost a monitor still votes on it: enough for running checks, their rechecks and
 * queued messages. Its later results are history.
 */
export const DRAIN_MS = 120_000;

/**
 * How a probe's results of a monitor count. `vote`; `history`: stored without effect on the verdict;
 * `refused`: the probe never had the monitor. `until`: when the probe lost it, Unix ms; Infinity while it has
 * it; null if never.
 */
function standingOf(until: number | null, now: number): 'vote' | 'history' | 'refused' {
  if (until === null) return 'refused';
  return now - until <= DRAIN_MS ? 'vote' : 'history';
}

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

/** Limits of held batches. Batches beyond them get no response, so their probe resends them. */
const MAX_BATCHES_PER_PROBE = 8;
const MAX_HELD_BYTES = 4_194_304;

/**
 * Batches of one shard that wait for their assignments to be read. All batches of their probe wait with them,
 * so that its lanes stay in order.
 */
class HeldBatches {
  readonly #retake: (message: TakenMessage) => void;
  readonly #byProbe = new Map<string, TakenMessage[]>();
  #bytes = 0;

  /** `retake` receives each batch again, in order. */
  constructor(retake: (message: TakenMessage) => void) {
    this.#retake = retake;
  }

  /** True if the message was queued behind others of its probe, or dropped because the queue is full. */
  queue(message: TakenMessage): boolean {
    const queue = this.#byProbe.get(message.probe_id);
    if (!queue) return false;
    if (queue.length < MAX_BATCHES_PER_PROBE && this.hasRoom) this.#add(queue, message);
    return true;
  }

  get hasRoom(): boolean {
    return this.#bytes < MAX_HELD_BYTES;
  }

  /** Holds a batch until `reading` settles. If that fails, its probe has to resend the batch. */
  hold(message: TakenMessage, reading: Promise<AssignmentHistory>): void {
    const queue: TakenMessage[] = [];
    this.#byProbe.set(message.probe_id, queue);
    this.#add(queue, message);
    const release = (history: AssignmentHistory | null): void => {
      this.#byProbe.delete(message.probe_id);
      for (const held of queue) this.#bytes -= held.bytes.length;
      const [first, ...others] = queue as [TakenMessage, ...TakenMessage[]];
      if (history) {
        const assignmentHistory = new Map([...(first.assignmentHistory ?? []), ...history]);
        this.#retake({ ...first, assignmentHistory });
      }
      for (const other of others) this.#retake(other);
    };
    reading.then(release, () => release(null));
  }

  #add(queue: TakenMessage[], message: TakenMessage): void {
    queue.push(message);
    this.#bytes += message.bytes.length;
  }
}
