import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { monitorSettings } from './responses.ts';
import { searchText } from './search-text.ts';
import type { FieldsOf } from './settings/check-type.ts';
import type { TypeSettings } from './settings/registry.ts';

type CommonSettings = FieldsOf<typeof monitorSettings>;

export type LifecycleStatus = 'active' | 'paused' | 'disabled';

/** What a monitor contributes to the counts of its project. */
export interface Share {
  type: MonitorType;
  status: LifecycleStatus;
  group_id: string | null;
  regions: string[];
}

/** A document of `monitors`. Instants are Unix ms. Every change is one write conditional on `revision`. */
export interface MonitorDoc extends TypeSettings {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string;
  name: string;
  type: MonitorType;
  target: string;
  interval_seconds: number;
  /** Null follows the interval; see `timeoutMs`. */
  timeout_ms: number | null;
  status: LifecycleStatus;
  group_id?: string | null;
  /** Null unless the monitor is deleted. */
  deleted_at: number | null;
  /** Starts at 1 and increases by one with every change. */
  revision: number;
  /** The revision that last changed what is checked. Assignments carry it; a new value triggers a check. */
  check_revision: number;
  /** The monitor's shard, until its journal contains this revision. */
  unjournaled?: number;
  /** When its maintenance windows last changed; absent if never. */
  windows_changed_at?: number;
  /** The project's id, until its counts contain this revision. */
  uncounted?: string;
  /** What the counts contain of this monitor, as of `counted_revision`; absent or null if nothing. */
  counted?: Share | null;
  counted_revision?: number;
  ssl_monitoring: NonNullable<CommonSettings['ssl_monitoring']> | null;
  domain_monitoring: NonNullable<CommonSettings['domain_monitoring']> | null;
  /** See `monitoredDomain`; absent if there is none. */
  domain?: string;
  tags: string[];
  /** Ids of regions; empty means automatic. */
  monitoring_regions: string[];
  notification_target_ids: string[];
  confirmation_policy: CommonSettings['confirmation_policy'];
  /** See `searchTextOf`. */
  search_text: string;
  created_at: number;
  updated_at: number;
}

/** Used if the monitor sets no timeout. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** The configured timeout, else the lower of 10 s and the interval. */
export function timeoutMs(monitor: Pick<MonitorDoc, 'timeout_ms' | 'interval_seconds'>): number {
  return monitor.timeout_ms ?? Math.min(DEFAULT_TIMEOUT_MS, monitor.interval_seconds * 1000);
}

/**
 * Name and target, normalized for searches. Excludes the token of a heartbeat, which readers without access
 * could otherwise guess by searching for prefixes.
 */
export function searchTextOf({ type, name, target }: Pick<MonitorDoc, 'type' | 'name' | 'target'>): string {
  return type === 'HEARTBEAT' ? searchText(name) : searchText(name, target);
}

/** The fields of a monitor that status pages need. */
export type ShownMonitor = Pick<MonitorDoc, '_id' | 'name' | 'type' | 'status' | 'target'>;
