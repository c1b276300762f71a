import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { StoredResult } from './hours/stored-result.ts';

/** What the state machine knows about a monitor; journaled at each change. Durations are ms. */
export interface MonitorConfig {
  monitor_id: string;
  organization_id: string;
  project_id: string;
  revision: number;
  /** The revision since which the same is checked; results of an older one change no state. */
  check_revision: number;
  name: string;
  target: string;
  type: MonitorType;
  status: 'active' | 'paused' | 'disabled' | 'deleted';
  interval_ms: number;
  timeout_ms: number;
  /** Failed rechecks in a row, after the first failure, that make a region down. */
  retries: number;
  quorum: 'majority' | 'any' | 'all' | number;
  slow_response_threshold_ms: number | null;
  /** Days before expiry at which to warn, most first; absent or empty: never. */
  tls_warning_days?: number[];
  domain_warning_days?: number[];
  notification_target_ids: string[];
  /** Regions asked for; empty means automatic. */
  monitoring_regions: string[];
  /** Kept by the state machine: regions asked for earlier, and until when (Unix ms). */
  asked_before?: Record<string, number>;
  /** Of a HEARTBEAT monitor: how often a ping has to come, and how late it may be. */
  heartbeat?: { interval_ms: number; grace_ms: number } | null;
  /** Unix ms of the change. */
  changed_at: number;
}

export type RuntimeStatus = 'up' | 'down' | 'degraded' | 'paused' | 'unknown';
export type Severity = 'critical' | 'major' | 'minor' | 'warning';

/** A monitor as its shard's owner knows it. Instants are Unix ms. */
export interface MonitorLive {
  status: RuntimeStatus;
  since: number;
  last_check_at: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  /** Of a heartbeat: the latest ping that told how a job ended. */
  last_heartbeat_at?: number | null | undefined;
  /** Of the outage, else of the slow stretch. `failure_count`: results that failed in it so far; an owner of an earlier version does not tell. */
  open_incident: { id: string; started_at: number; severity: Severity; type: ErrorType; failure_count?: number | undefined } | null;
  regions: RegionLive[];
}

/** The verdict of one region beside the global one. `reason`: why it is not up. */
export interface RegionLive {
  region: string;
  status: RuntimeStatus;
  reason: string | null;
  last_check_at: number | null;
  response_time_ms: number | null;
  probe_id: string | null;
}

export interface LiveReader {
  /** State by the shards' owners; a monitor nobody has heard of is not in the map. Never older than 2 s while owners answer. */
  states(monitorIds: string[]): Promise<Map<string, MonitorLive>>;
}

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

/** A stretch of time in one status. Instants are Unix ms. */
export interface StatusSpan {
  status: RuntimeStatus;
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

/** A region's response times over a stretch of time; ms, of successful checks, percentiles to within 5 %. Null without any. */
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

export interface HistoryReader {
  /** Newest first, those that began before `before`. */
  statusSpans(monitorId: string, before: number, limit: number): Promise<StatusSpan[]>;
  /** Throws VALIDATION_ERROR for a cursor that is none. */
  results(monitorId: string, query: ResultQuery): Promise<ResultPage>;
  /** By region, in order of time; hours for up to 7 days, else days. Stretches without a check are left out. */
  responseTimes(monitorId: string, days: number): Promise<Map<string, TimePoint[]>>;
}

/** Active monitors of a project by status, and the few that stand out. */
export interface ProjectHealth {
  counts: { up: number; down: number; degraded: number };
  /** By their latest success, slowest first. */
  slowest: { monitor_id: string; response_time_ms: number }[];
  /** By outages within the time in which flapping is looked for, most first. */
  flakiest: { monitor_id: string; recent_outages: number }[];
}

export interface HealthReader {
  ofProject(projectId: string): Promise<ProjectHealth>;
}

/** An incident opened or closed by the state machine. `id` is derived, so that a second call changes nothing. */
export interface IncidentOpening {
  id: string;
  monitor: MonitorConfig;
  severity: Severity;
  type: ErrorType;
  error_message: string;
  affected_regions: string[];
  failure_count: number;
  started_at: number;
  /** Results that came too late to alert anybody showed it; it is resolved at once. */
  late?: true;
}

export interface IncidentResolution {
  id: string;
  monitor: MonitorConfig;
  resolved_at: number;
  failure_count: number;
}

export interface IncidentsPort {
  /** Inserts if absent. */
  open(opening: IncidentOpening): Promise<void>;
  /** Resolves where still open or acknowledged; else changes nothing. */
  resolve(resolution: IncidentResolution): Promise<void>;
}

export type AlertEvent = 'monitor.down' | 'monitor.up' | 'monitor.slow_response' | 'monitor.slow_response_resolved' | 'monitor.ssl_expiring' | 'monitor.domain_expiring';

/** Something to tell. `id` is derived from (monitor, journal number, index). */
export interface Alert {
  id: string;
  event: AlertEvent;
  monitor: MonitorConfig;
  incident: { id: string; started_at: number; resolved_at: number | null } | null;
  error: { type: ErrorType; message: string } | null;
  regions: string[];
  /** The last good check so far, Unix ms; `response_time_ms` null where it is not known. Absent of what is about no check. */
  last_success?: { at: number; response_time_ms: number | null } | null;
  /** When it happened, Unix ms. */
  at: number;
  /** Of a certificate or a registration that expires: when (Unix ms), and in how many days at most. */
  expiry?: { expires_at: number; days: number };
  /** It goes down too often to tell each time: so many times in `window_ms`; what follows is held until it is steady. */
  flapping?: { downs: number; window_ms: number };
}

export interface AlertsPort {
  /** One delivery for each destination concerned, inserted if absent; wakes the senders. */
  fanOut(alert: Alert): Promise<void>;
}
