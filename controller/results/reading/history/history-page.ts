import type { RuntimeStatus } from '../../../verdicts/monitor-config.ts';
import type { StoredResult } from '../../hours/stored-result.ts';

/** A period in one status. Timestamps are Unix ms. */
export interface StatusSpan {
  status: RuntimeStatus;
  /** True if a maintenance window was open. */
  in_maintenance: boolean;
  from: number;
  /** Null while it is ongoing. */
  to: number | null;
  reason: string;
  incident_id: string | null;
}

export interface ResultQuery {
  region?: string | undefined;
  isSuccess?: boolean | undefined;
  /** Lower bound of the start, inclusive, Unix ms. */
  from: number;
  /** Upper bound of the start, exclusive, Unix ms. */
  to: number;
  limit: number;
  /** The `next` of an earlier page. */
  cursor?: string | undefined;
}

export interface ResultPage {
  /** Newest first. */
  results: StoredResult[];
  /** Cursor of the next page; null at the end. */
  next: string | null;
}

/** A region's response times (ms) of successful checks, percentiles within 5 %; null without any. */
export interface TimePoint {
  /** Start of the period, Unix ms. */
  at: number;
  avg: number | null;
  min: number | null;
  max: number | null;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  /** Number of checks, including failed ones. */
  count: number;
  failed: number;
}
