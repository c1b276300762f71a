import type { MonitorType } from '../../shared/contracts/check-spec.ts';

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
