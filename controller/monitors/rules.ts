import { canSeeCredentials, type ProjectRole } from '../access/tenant.ts';
import type { MonitorLive } from '../results/reading/recent/unwritten-monitor.ts';
import type { LifecycleStatus, MonitorDoc } from './monitor.ts';
import { CONCEALED } from './settings/http-credentials.ts';

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
