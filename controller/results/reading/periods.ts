import { z } from 'zod';
import type { StoredResult } from '../hours/stored-result.ts';
import type { MonitorLive } from './recent/unwritten-monitor.ts';

/** Statistics of a period that ends now. */
export interface PeriodStats {
  /** By time: (up + degraded) / (up + degraded + down) × 100; null without monitored time. */
  uptime_percentage: number | null;
  /** The same, excluding maintenance. */
  uptime_outside_maintenance: number | null;
  /** Mean over successful checks, ms; null without any. */
  avg_response_time: number | null;
  total_checks: number;
  failed_checks: number;
  last_check_at: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
}

export const recentResult = z.object({
  monitor_id: z.string(),
  success: z.boolean(),
  response_time_ms: z.number().nullable(),
  status_code: z.number().nullable(),
  /** Unix ms. */
  checked_at: z.number(),
});
export type RecentResult = z.infer<typeof recentResult>;

export function viewRecent(monitorId: string, row: StoredResult): RecentResult {
  return {
    monitor_id: monitorId, success: row.outcome === 'success', response_time_ms: row.response_time_ms,
    status_code: row.status_code, checked_at: row.started_at,
  };
}

/** A monitor's state and statistics; the statistics are null without results. */
export interface MonitorStatistics {
  live: MonitorLive;
  stats: PeriodStats | null;
}

/** A monitor's state and its statistics by requested period; null without results. */
export interface MonitorPeriods {
  live: MonitorLive;
  periods: (PeriodStats | null)[];
}
