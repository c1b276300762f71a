import type { MonitorType } from '../../shared/contracts/check-spec.ts';

/** The settings that the rules depend on. The journal holds each change of them. Durations are ms. */
export interface MonitorConfig {
  monitor_id: string;
  organization_id: string;
  project_id: string;
  revision: number;
  /** The last revision that changed what is checked; older results move no verdict. */
  check_revision: number;
  name: string;
  target: string;
  type: MonitorType;
  status: 'active' | 'paused' | 'disabled' | 'deleted';
  interval_ms: number;
  timeout_ms: number;
  /** Failures in a row after the first one before a region is down. */
  retries: number;
  quorum: 'majority' | 'any' | 'all' | number;
  slow_response_threshold_ms: number | null;
  /** Days before expiry at which to warn, most first; never if absent or empty. */
  tls_warning_days?: number[];
  /** Whether to warn of certificates and connections that are not valid or weak; absent: no. */
  tls_validity?: boolean;
  domain_warning_days?: number[];
  /** When the registration of its domain expires, Unix ms; null or absent if unknown. */
  domain_expires_at?: number | null;
  notification_target_ids: string[];
  /** The regions to check from; empty if the choice is automatic. */
  monitoring_regions: string[];
  /**
   * The regions whose probes have the monitor, sorted; null while that is not known. Earlier versions wrote
   * none.
   */
  assigned?: string[] | null;
  /** Assigned regions whose network is known, by the name of that network: those of one have one vote. */
  domains?: Record<string, string> | null;
  /** Kept by the rules: regions asked earlier, and until when (Unix ms). */
  former_regions?: Record<string, number>;
  /** HEARTBEAT monitors only: how often a ping is due, and how late it may be. */
  heartbeat?: { interval_ms: number; grace_ms: number } | null;
  /** In order of time; the rules keep those of the last days. Absent or empty if there is none. */
  maintenance?: MaintenanceRange[];
  /** Unix ms. */
  changed_at: number;
}

/** From an instant to before another, Unix ms. */
export interface MaintenanceRange {
  from: number;
  until: number;
  /** Alerts of outages wait until it is over. */
  holds_alerts: boolean;
}

export type RuntimeStatus = 'up' | 'down' | 'degraded' | 'paused' | 'unknown';

/** What a region says of a monitor. */
export type RegionStatus = Exclude<RuntimeStatus, 'paused'>;

export type Severity = 'critical' | 'major' | 'minor' | 'warning';
