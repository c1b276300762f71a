import { CONFIRMATIONS_PER_INTERVAL } from '../../../shared/contracts/assignment.ts';
import { HOUR_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';

/** Limit of manual checks per hour, in addition to the scheduled ones. */
const MAX_MANUAL_RUNS = 500;
/** During a move, two probes may check the same slot. */
const MAX_CHECKS_PER_SLOT = 2;

/**
 * Limit of results per region, monitor and hour: each slot and confirmation, with rechecks, plus manual
 * checks. Results beyond it are refused.
 */
export function hourAllowance({ interval_ms: intervalMs, retries }: MonitorConfig): number {
  const slots = Math.ceil(HOUR_MS / Math.max(1000, intervalMs)) + 1;
  return (MAX_CHECKS_PER_SLOT + CONFIRMATIONS_PER_INTERVAL) * slots * (1 + retries) + MAX_MANUAL_RUNS;
}
