import type { MonitorType } from '../../shared/contracts/check-spec.ts';

/** The settings that the rules depend on. The journal records every change. Durations are ms. */
export interface MonitorConfig {
  monitor_id: string;
  organization_id: string;
  project_id: string;
  revision: number;
  /** The last revision that changed what is checked. Results of older ones do not affect the verdict. */
  check_revision: number;
  name: string;
  target: string;
  type: MonitorType;
  status: 'active' | 'paused' | 'disabled' | 'deleted';
  interval_ms: number;
  timeout_ms: number;
  /** Consecutive failures after the first one before a region is down. */
  retries: number;
  /** Good scheduled checks in a row, after the first one, before a region is up again. Absent means 0. */
  recoveries?: number;
  quorum: 'majority' | 'any' | 'all' | number;
  slow_response_threshold_ms: number | null;
  /** Days before expiry at which to warn, in descending order. No warnings if empty. */
  tls_warning_days: number[];
  /** Whether to warn of invalid or weak certificates and connections. */
  tls_validity: boolean;
  domain_warning_days: number[];
  /** When its domain's registration expires, Unix ms; null if unknown. */
  domain_expires_at: number | null;
  notification_target_ids: string[];
  /** Monitors whose outages explain those of this one. Absent means none. */
  depends_on?: string[];
  /** Null or absent without a group. */
  group_id?: string | null;
  /** Of a DNS monitor: the server that it asks; null or absent for the probe's own. */
  name_server?: string | null;
  /** Where people read what to do; null or absent if unset. */
  runbook_url?: string | null;
  /** Severity of its incidents; null or absent for the one of the failure's type. */
  alert_severity?: (typeof ALERT_SEVERITIES)[number] | null;
  /** The selected regions; empty if the choice is automatic. */
  monitoring_regions: string[];
  /** The regions whose probes have the monitor, sorted; null or absent if unknown. */
  assigned?: string[] | null;
  /** Network names of the assigned regions, where known. Regions in one network share one vote. */
  domains?: Record<string, string> | null;
  /** Maintained by the rules: formerly selected regions, and until when (Unix ms). */
  former_regions?: Record<string, number>;
  /** HEARTBEAT monitors only. */
  heartbeat?: HeartbeatConfig | null;
  /** In chronological order; the rules keep the last days. Absent or empty if there is none. */
  maintenance?: MaintenanceRange[];
  /** Unix ms. */
  changed_at: number;
}

/** A crontab line without its command, and the IANA time zone of its times. */
export interface CronSchedule {
  cron: string;
  timezone: string;
}

/** A ping for a due time may be this early, ms: clocks differ. */
export const MAX_EARLY_MS = 60_000;

export interface HeartbeatConfig {
  /** Time between two pings. With a schedule, it stands in for a due time that cannot be evaluated. */
  interval_ms: number;
  /** How late a ping may be. */
  grace_ms: number;
  /** How long a run may take from its start to its end; null or absent for no limit. */
  max_runtime_ms?: number | null;
  /** When pings are due, instead of at an interval; null or absent without one. */
  schedule?: CronSchedule | null;
  /** The first due time of the schedule after `changed_at`, Unix ms. */
  first_due_at?: number | null;
}

/** Half-open time range, Unix ms. */
export interface MaintenanceRange {
  from: number;
  until: number;
  /** Delays outage alerts until it ends. */
  holds_alerts: boolean;
}

export type RuntimeStatus = 'up' | 'down' | 'degraded' | 'paused' | 'unknown';

/** A region's view of a monitor. */
export type RegionStatus = Exclude<RuntimeStatus, 'paused'>;

export type Severity = 'critical' | 'major' | 'minor' | 'warning';

/** Severities that users can choose for the incidents of a monitor. */
export const ALERT_SEVERITIES = ['critical', 'major', 'warning'] as const satisfies readonly Severity[];
