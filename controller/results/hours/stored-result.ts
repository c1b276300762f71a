import type { CheckResult, ErrorType, MissedReason, Timings } from '../../../shared/contracts/result.ts';

/** What is kept of a result in its hour's block. Instants are Unix ms, durations ms to a tenth. */
export interface StoredResult {
  region: string;
  probe_id: string;
  scheduled_at: number;
  started_at: number;
  outcome: CheckResult['outcome'];
  degraded: boolean;
  reason: CheckResult['reason'];
  attempt: number;
  /** Taken too late to move a verdict. */
  late: boolean;
  response_time_ms: number | null;
  status_code: number | null;
  error: { type: ErrorType; message: string } | null;
  missed: { reason: MissedReason; count: number } | null;
  timings: Timings | null;
}

/** What a block keeps of a result that came from a probe. */
export function toStored(region: string, probeId: string, late: boolean, result: CheckResult): StoredResult {
  return {
    region, probe_id: probeId, late, scheduled_at: result.scheduled_at, started_at: result.started_at, outcome: result.outcome,
    degraded: result.degraded, reason: result.reason, attempt: result.attempt, response_time_ms: result.response_time_ms,
    status_code: result.status_code, error: result.error, missed: result.missed, timings: result.timings,
  };
}
