import type { MonitorLive } from './live.ts';

/** Statistics of a stretch of time that ends now. */
export interface PeriodStats {
  /** Weighted by time in state: (up + degraded) / (up + degraded + down) × 100; null when nothing was watched. */
  uptime_percentage: number | null;
  /** Mean over successful checks, ms; null without any. */
  avg_response_time: number | null;
  total_checks: number;
  failed_checks: number;
  last_check_at: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
}

export interface RecentResult {
  monitor_id: string;
  success: boolean;
  response_time_ms: number | null;
  status_code: number | null;
  /** Unix ms. */
  checked_at: number;
}

/** The state of a monitor, and its statistics; these are null when it has no result at all. */
export interface MonitorStatistics {
  live: MonitorLive;
  stats: PeriodStats | null;
}

/** The state of a monitor, and its statistics of several periods in the order asked for; null without any result. */
export interface MonitorPeriods {
  live: MonitorLive;
  periods: (PeriodStats | null)[];
}

export interface StatisticsReader {
  /** Null when nobody has heard of the monitor. */
  period(monitorId: string, days: number): Promise<MonitorStatistics | null>;
  /** 30 days, for a list; monitors that nobody has heard of are left out. */
  list30d(monitorIds: string[]): Promise<Map<string, MonitorStatistics>>;
  /** Each over the clock hours that the last so many `hours` touch; monitors that nobody has heard of are left out. */
  periods(monitorIds: string[], hours: readonly number[]): Promise<Map<string, MonitorPeriods>>;
  /** Latest results of the project in the last 24 hours, newest first, at most `limit`; never of heartbeats. */
  recent(projectId: string, limit: number): Promise<RecentResult[]>;
}
