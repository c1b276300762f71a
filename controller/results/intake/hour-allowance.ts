import { HOUR_MS } from '../../verdicts/booking-rules.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';

/** Checks that people may ask for in an hour, beside the scheduled ones. */
const MANUAL_RUNS = 500;
/** A region may have two probes at work while one takes over from the other. */
const PROBES_AT_ONCE = 2;

/**
 * The results that one region may send of one monitor and hour: each slot with its rechecks, once more when
 * another region asks to confirm, and manual runs. Beyond it they are refused.
 */
export function hourAllowance({ interval_ms: intervalMs, retries }: MonitorConfig): number {
  const slots = Math.ceil(HOUR_MS / Math.max(1000, intervalMs)) + 1;
  return PROBES_AT_ONCE * slots * (2 + retries) + MANUAL_RUNS;
}
