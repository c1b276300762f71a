import { CONFIRMATIONS_PER_INTERVAL } from '../../../shared/contracts/assignment.ts';
import { HOUR_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';

/** Checks that people may ask for in an hour, beside the scheduled ones. */
const MAX_MANUAL_RUNS = 500;
/** A slot may be checked by two probes while one takes over from the other. */
const MAX_CHECKS_PER_SLOT = 2;

/**
 * The results that one region may send of one monitor and hour: each slot and what other regions ask to
 * confirm, with rechecks, and manual runs. Beyond it they are refused.
 */
export function hourAllowance({ interval_ms: intervalMs, retries }: MonitorConfig): number {
  const slots = Math.ceil(HOUR_MS / Math.max(1000, intervalMs)) + 1;
  return (MAX_CHECKS_PER_SLOT + CONFIRMATIONS_PER_INTERVAL) * slots * (1 + retries) + MAX_MANUAL_RUNS;
}
