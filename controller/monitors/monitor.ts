import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import { searchText } from '../../shared/search-text.ts';
import type { monitorSettings } from './responses.ts';
import type { FieldsOf } from './settings/check-type.ts';
import type { TypeSettings } from './settings/registry.ts';

type CommonSettings = FieldsOf<typeof monitorSettings>;

export type LifecycleStatus = 'active' | 'paused' | 'disabled';

/** What a living monitor adds to the counts of its project. */
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
  /** Null: follows the interval (see `timeoutMs`). */
  timeout_ms: number | null;
  status: LifecycleStatus;
  group_id?: string | null;
  /** Null while the monitor lives. */
  deleted_at: number | null;
  /** Starts at 1 and grows by one with every change. */
  revision: number;
  /**
   * The revision that last changed what is checked: assignments carry it, and a new one is checked at once.
   */
  check_revision: number;
  /** The monitor's shard, while the journal lacks this revision. */
  unjournaled?: number;
  /** When its maintenance windows changed, Unix ms; absent if they never did. */
  windows_changed_at?: number;
  /** The project's id, while its counts may lack this revision. */
  uncounted?: string;
  /** What the counts contain of this monitor, and of which revision; absent or null: nothing. */
  counted?: Share | null;
  counted_revision?: number;
  ssl_monitoring: NonNullable<CommonSettings['ssl_monitoring']> | null;
  domain_monitoring: NonNullable<CommonSettings['domain_monitoring']> | null;
  /** See `watchedDomain`; absent if there is none. */
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

/** Longest time that a check may take if the monitor does not say. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** The time that a check may take, ms: as configured, else 10 s or the interval if that is shorter. */
export function timeoutMs(monitor: Pick<MonitorDoc, 'timeout_ms' | 'interval_seconds'>): number {
  return monitor.timeout_ms ?? Math.min(DEFAULT_TIMEOUT_MS, monitor.interval_seconds * 1000);
}

/**
 * Name and target in the form that `search` compares with. The token of a heartbeat is not among it, because
 * searches for its beginnings would tell it to readers who may not see it.
 */
export function searchTextOf({ type, name, target }: Pick<MonitorDoc, 'type' | 'name' | 'target'>): string {
  return type === 'HEARTBEAT' ? searchText(name) : searchText(name, target);
}

/** What status pages show of a monitor, and what decides who sees it. */
export type ShownMonitor = Pick<MonitorDoc, '_id' | 'name' | 'type' | 'status' | 'target'>;
