import { CONFIRMATIONS_PER_INTERVAL } from '../../../shared/contracts/assignment.ts';
import type { CheckResult, ResultBatch } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isLate } from '../../verdicts/monitor-rules.ts';
import { HOUR_MS, hourOf } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import { foreignReason } from '../../verdicts/votes/region-rules.ts';
import type { DeadLetterReason } from '../dead-letters/dead-letter.ts';
import { rowsOf } from '../hours/hour-rows.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import { HeldBatches } from './pending-batches.ts';
import type { Assignments, Instant, IntakeFacts, TakeLimits, TakenMessage } from './take-limits.ts';

/** Results dated further ahead are refused. A clock that is an hour off, perhaps ours, loses no result. */
const MAX_FUTURE_MS = 2 * 3_600_000;

/** The source of a batch, and its time of arrival (Unix ms). */
export interface IntakeContext extends IntakeFacts {
  shard: number;
  region: string;
  now: number;
  limits: Pick<TakeLimits, 'rawRetentionMs' | 'shardOf'>;
}

/** A monitor's journaled configuration, and the latest one, which may not be journaled yet. */
export interface MonitorConfigs {
  latest: MonitorConfig | undefined;
  journaled: MonitorConfig | undefined;
}

/** Why a result is refused; null if it is accepted. A result of a `deleted` monitor leaves no dead letter. */
export function refusalOf(
  { monitor_id: id, started_at: at }: CheckResult, { latest, journaled }: MonitorConfigs,
  context: IntakeContext,
): DeadLetterReason | 'deleted' | null {
  const { shard, limits, now } = context;
  if (!latest) return limits.shardOf(id) === shard ? 'unknown_monitor' : 'foreign_shard';
  if (latest.status === 'deleted') return 'deleted';
  if (at > now + MAX_FUTURE_MS) return 'future';
  const retainedSince = now - limits.rawRetentionMs(latest.organization_id);
  return foreignBy(latest, journaled, context, retainedSince) ?? (at < retainedSince ? 'too_old' : null);
}

/** An unjournaled change does not exclude regions that the journaled configuration still includes. */
function foreignBy(
  latest: MonitorConfig, journaled: MonitorConfig | undefined, { region, owner }: IntakeContext,
  retainedSince: number,
): DeadLetterReason | null {
  try {
    const reason = foreignReason(latest, region, owner, retainedSince);
    if (reason === null || !journaled) return reason;
    return foreignReason(journaled, region, owner, retainedSince) && reason;
  } catch {
    // Handled where the monitor's own rules run, so that no other monitor is affected.
    return null;
  }
}

/** Limit of manual checks per hour, in addition to the scheduled ones. */
const MAX_MANUAL_RUNS = 500;
/** During a move, two probes may check the same slot, and each failure elsewhere may have it confirmed. */
const MAX_CHECKS_PER_SLOT = 2 + CONFIRMATIONS_PER_INTERVAL;

/**
 * Limit of results per region, monitor and hour: each slot and confirmation, with rechecks, plus manual
 * checks. Results beyond it are refused.
 */
export function hourAllowance({ interval_ms: intervalMs, retries }: MonitorConfig): number {
  const slots = Math.ceil(HOUR_MS / Math.max(1000, intervalMs)) + 1;
  return MAX_CHECKS_PER_SLOT * slots * (1 + retries) + MAX_MANUAL_RUNS;
}

/** Ignores queued results, which are few compared with the limit of an hour. */
export function excessOf(
  result: CheckResult, monitor: LiveMonitor | undefined, config: MonitorConfig | undefined, region: string,
): 'too_many' | null {
  const rows = monitor && rowsOf(monitor, hourOf(result.started_at));
  return rows && config && rows.isFullFor(region, hourAllowance(config)) ? 'too_many' : null;
}

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
        isAwaited ||= facts.refusalOf(result) === 'unknown_monitor' && this.#isAwaited(id, facts.now.monotonic);
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
