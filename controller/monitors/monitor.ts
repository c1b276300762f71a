import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { Share } from './counts/count-rules.ts';
import type { DnsSettings } from './settings/dns.ts';
import type { HeartbeatSettings } from './settings/heartbeat.ts';
import type { HttpSettings } from './settings/http.ts';
import type { IcmpSettings } from './settings/icmp.ts';
import type { KeywordSettings } from './settings/keyword.ts';
import type { TcpSettings } from './settings/tcp.ts';

export interface SslMonitoring {
  enabled: boolean;
  check_expiry: boolean;
  check_validity: boolean;
  /** Days before expiry at which to warn. */
  expiry_warning_days: number[];
}

export interface DomainMonitoring {
  enabled: boolean;
  expiry_warning_days: number[];
}

export interface ConfirmationPolicy {
  /** How many of the regions that can tell must agree. */
  regions: 'majority' | 'any' | 'all' | number;
  /** Failed rechecks in a row, after the first failure, that make a region down. */
  retries: number;
}

export type LifecycleStatus = 'active' | 'paused' | 'disabled';

/** A document of `monitors`. Instants are Unix ms. Every change is one write that is conditional on `revision`. */
export interface MonitorDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string;
  name: string;
  type: MonitorType;
  target: string;
  interval_seconds: number;
  /** Null: follows the interval (see `timeoutMs`). */
  timeout_ms: number | null;
  status: LifecycleStatus;
  group_id?: string | null;
  /** Null while it lives. */
  deleted_at: number | null;
  /** Starts at 1, one higher with every change. */
  revision: number;
  /** The revision since which the same is checked: assignments carry it, and a new one is checked at once. */
  check_revision: number;
  /** The monitor's shard, while the journal does not have this revision yet. */
  unjournaled?: number;
  /** The project's id, while its counts may not have this revision yet. */
  uncounted?: string;
  /** What the counts hold of this monitor, and of which revision; absent or null: nothing. */
  counted?: Share | null;
  counted_revision?: number;
  /** Null for the types that have none; so are the following. */
  http: HttpSettings | null;
  keyword: KeywordSettings | null;
  tcp: TcpSettings | null;
  dns: DnsSettings | null;
  icmp: IcmpSettings | null;
  heartbeat: HeartbeatSettings | null;
  ssl_monitoring: SslMonitoring | null;
  domain_monitoring: DomainMonitoring | null;
  tags: string[];
  /** Ids of regions; empty means automatic. */
  monitoring_regions: string[];
  notification_target_ids: string[];
  confirmation_policy: ConfirmationPolicy;
  /** Name and target in the form that `search` compares with. */
  search_text: string;
  created_at: number;
  updated_at: number;
}

/** Longest time a check may take when the monitor does not say. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** The time a check of the monitor may take, ms: what was asked for, else 10 s or the interval if that is shorter. */
export function timeoutMs(monitor: Pick<MonitorDoc, 'timeout_ms' | 'interval_seconds'>): number {
  return monitor.timeout_ms ?? Math.min(DEFAULT_TIMEOUT_MS, monitor.interval_seconds * 1000);
}
