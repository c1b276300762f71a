import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { Managed } from '../access/managed.ts';
import { canSeeCredentials, type ProjectRole } from '../access/tenant.ts';
import type { MonitorLive } from '../results/reading/recent/unwritten-monitor.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import type { monitorSettings } from './responses.ts';
import { CONCEALED } from './settings/sent-settings.ts';
import type { FieldsOf, TypeSettings } from './settings/registry.ts';

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
export interface MonitorDoc extends TypeSettings, Managed {
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
  /** The variables in its settings. Absent if there were none when it was saved: then `{{` is literal. */
  variable_ids?: string[];
  /** When the value of one of them last changed; absent if never. */
  variables_changed_at?: number;
  /** The project's id, until its counts contain this revision. */
  uncounted?: string;
  /** What the counts contain of this monitor, as of `counted_revision`; absent or null if nothing. */
  counted?: Share | null;
  counted_revision?: number;
  ssl_monitoring: NonNullable<CommonSettings['ssl_monitoring']> | null;
  domain_monitoring: NonNullable<CommonSettings['domain_monitoring']> | null;
  /** See `monitoredDomain`; absent if there is none. */
  domain?: string;
  /** See `slugKeyOf`; absent if there is none. */
  slug_key?: string;
  tags: string[];
  /** Ids of regions; empty means automatic. */
  monitoring_regions: string[];
  notification_target_ids: string[];
  /** Monitors of the project whose outages explain those of this one. */
  depends_on: string[];
  confirmation_policy: CommonSettings['confirmation_policy'];
  /** A check that succeeds is a failure, and the other way round. */
  is_inverted: boolean;
  runbook_url: string | null;
  /** Severity of its incidents; null for the one of the failure's type. */
  alert_severity: NonNullable<MonitorConfig['alert_severity']> | null;
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

/**
 * The project and the slug of a heartbeat, which no two monitors share; null for other types, and for deleted
 * monitors.
 */
export function slugKeyOf(
  { project_id, heartbeat, deleted_at }: Pick<MonitorDoc, 'project_id' | 'heartbeat' | 'deleted_at'>,
): string | null {
  return heartbeat?.slug && deleted_at === null ? `${project_id}/${heartbeat.slug}` : null;
}

const MAX_SLUG_LENGTH = 80;

/** Slugs for a new heartbeat, best first; the last one is unique. */
export function slugsFor({ _id: id, name }: Pick<MonitorDoc, '_id' | 'name'>): string[] {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').replace(/[^a-z0-9_]+/g, '-');
  const slug = plain.slice(0, MAX_SLUG_LENGTH).replace(/^-|-$/g, '') || 'heartbeat';
  return [slug, `${slug}-2`, `${slug}-3`, `${slug}-${id.slice(-12)}`];
}

/** The fields of a monitor that status pages need. */
export type ShownMonitor = Pick<MonitorDoc, '_id' | 'name' | 'type' | 'status' | 'target'>;

/** The fields of a monitor that has dependencies or is one. */
export type RelatedMonitor = Pick<MonitorDoc, '_id' | 'name' | 'status' | 'depends_on'>;

type Lifecycle = Pick<MonitorDoc, 'status'>;

/** `paused` unless the monitor is active, `unknown` if no shard owner has its state. */
export function runtimeStatus(doc: Lifecycle, live: MonitorLive | null | undefined) {
  if (doc.status !== 'active') return 'paused';
  return live?.status === undefined || live.status === 'paused' ? 'unknown' : live.status;
}

/** Whether an active monitor has an open maintenance window, regardless of its health. */
export function isInMaintenance(doc: Lifecycle, live: MonitorLive | null | undefined): boolean {
  return doc.status === 'active' && live?.in_maintenance === true;
}

/** The status on status pages: `maintenance` during a window, else the current health. */
export function componentStatus(doc: Lifecycle, live: MonitorLive | null | undefined) {
  return isInMaintenance(doc, live) ? 'maintenance' : runtimeStatus(doc, live);
}

/** Conceals the token of a heartbeat from roles that may not see credentials, because it allows pings. */
export function shownTarget(doc: Pick<MonitorDoc, 'type' | 'target'>, role: ProjectRole): string {
  return doc.type === 'HEARTBEAT' && !canSeeCredentials(role) ? CONCEALED : doc.target;
}

export const PAUSES_DISABLED = 'A disabled monitor cannot be paused; resume it first';
export type Transition = 'pause' | 'resume' | 'disable';

/** The new status; `same` if nothing changes, `refused` for pausing a disabled monitor. */
export function nextStatus(status: LifecycleStatus, transition: Transition) {
  const next = ({ pause: 'paused', resume: 'active', disable: 'disabled' } as const)[transition];
  if (status === next) return 'same';
  return status === 'disabled' && next === 'paused' ? 'refused' : next;
}

/** Per monitor on any plan. */
export const MAX_REQUESTS_PER_MINUTE = 600;

type RequestSettings = Pick<MonitorDoc, 'interval_seconds' | 'monitoring_regions' | 'icmp' | 'dns' | 'heartbeat'>;

/**
 * Requests to the target per minute across all selected regions, or one region for automatic selection. An
 * ICMP check counts once per packet, a DNS check once per record.
 */
export function requestsPerMinute(settings: RequestSettings): number {
  if (settings.heartbeat !== null) return 0;
  const perCheck = settings.icmp?.packet_count ?? settings.dns?.record_entries.length ?? 1;
  const regions = Math.max(1, settings.monitoring_regions.length);
  return Math.ceil((60 / settings.interval_seconds) * regions * perCheck);
}

/** Normalizes texts for searching: one line each, composed (NFC), in lower case. */
export function searchText(...texts: string[]): string {
  return texts.map(fold).join('\n');
}

/** A pattern that matches `text` literally in the output of `searchText`, ignoring case. */
export function searchPattern(text: string): string {
  return fold(text).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('\n', ' ');
}
