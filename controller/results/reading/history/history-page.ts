import type { RuntimeStatus } from '../../../verdicts/monitor-config.ts';
import type { StoredResult } from '../../hours/stored-result.ts';

/** A stretch of time in one status. Instants are Unix ms. */
export interface StatusSpan {
  status: RuntimeStatus;
  /** A maintenance window was open. */
  in_maintenance: boolean;
  from: number;
  /** Null while it lasts. */
  to: number | null;
  reason: string;
  incident_id: string | null;
}

export interface ResultQuery {
  region?: string | undefined;
  isSuccess?: boolean | undefined;
  /** Started at this instant or later, Unix ms. */
  from: number;
  /** Started before this instant, Unix ms. */
  to: number;
  limit: number;
  /** As an earlier page gave it. */
  cursor?: string | undefined;
}

export interface ResultPage {
  /** Newest first. */
  results: StoredResult[];
  /** Where to go on; null at the end. */
  next: string | null;
}

/** A region's response times (ms) of successful checks, percentiles within 5 %; null if there are none. */
export interface TimePoint {
  /** Start of the stretch, Unix ms. */
  at: number;
  avg: number | null;
  min: number | null;
  max: number | null;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  /** Checks, failed ones too. */
  count: number;
  failed: number;
}
