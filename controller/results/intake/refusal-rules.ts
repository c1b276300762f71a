import type { CheckResult } from '../../../shared/contracts/result.ts';
import { foreignReason } from '../../verdicts/votes/region-rules.ts';
import type { DeadLetterReason } from '../dead-letters/dead-letter.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { rowsOf } from '../hours/hour-rows.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { IntakeFacts, TakeLimits } from './take-limits.ts';
import { CONFIRMATIONS_PER_INTERVAL } from '../../../shared/contracts/assignment.ts';
import { HOUR_MS, hourOf } from '../../verdicts/time-accounting/time-accounting-rules.ts';

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
  result: CheckResult, configs: MonitorConfigs, context: IntakeContext,
): DeadLetterReason | 'deleted' | null {
  const { latest } = configs;
  if (!latest) {
    return context.limits.shardOf(result.monitor_id) === context.shard ? 'unknown_monitor' : 'foreign_shard';
  }
  if (latest.status === 'deleted') return 'deleted';
  if (result.started_at > context.now + MAX_FUTURE_MS) return 'future';
  const retainedSince = context.now - context.limits.rawRetentionMs(latest.organization_id);
  return foreignBy(latest, configs.journaled, context, retainedSince) ??
    (result.started_at < retainedSince ? 'too_old' : null);
}

/** An unjournaled change does not exclude regions that the journaled configuration still includes. */
function foreignBy(
  latest: MonitorConfig, journaled: MonitorConfig | undefined, { region, owner }: IntakeContext,
  retainedSince: number,
): DeadLetterReason | null {
  try {
    const reason = foreignReason(latest, region, owner, retainedSince);
    return reason !== null && journaled && foreignReason(journaled, region, owner, retainedSince) === null
      ? null
      : reason;
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
