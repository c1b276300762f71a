import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';

/** The part of a probe's result stored in a block. */
export function toStored(region: string, probeId: string, late: boolean, result: CheckResult): StoredResult {
  const { scheduled_at, started_at, outcome, degraded, reason, attempt, response_time_ms } = result;
  const { status_code, error, missed, timings } = result;
  return {
    region, probe_id: probeId, late, scheduled_at, started_at, outcome, degraded, reason, attempt,
    response_time_ms,
    status_code, error, missed, timings,
  };
}
