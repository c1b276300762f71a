import { canSeeCredentials, type ProjectRole } from '../accounts/roles.ts';
import { phaseMs } from '../assignments/rules.ts';
import type { MonitorLive } from '../results/reading/recent/monitor-live.ts';
import type { LifecycleStatus, MonitorDoc } from './monitor.ts';
import { CONCEALED } from './settings/http-credentials.ts';

/**
 * When the next slot in any of `regionCount` regions is due, Unix ms; null if the monitor is not being
 * checked.
 */
export function nextCheckAt(doc: MonitorDoc, regionCount: number, now: number): number | null {
  if (doc.status !== 'active' || doc.type === 'HEARTBEAT') return null;
  const intervalMs = doc.interval_seconds * 1000;
  const count = Math.max(1, regionCount);
  let next = Infinity;
  for (let index = 0; index < count; index += 1) {
    const phase = phaseMs(doc._id, intervalMs, index, count);
    next = Math.min(next, Math.ceil((now - phase) / intervalMs) * intervalMs + phase);
  }
  return next;
}

type Lifecycle = Pick<MonitorDoc, 'status'>;

/** The current health: `paused` unless the monitor is active, `unknown` if no shard owner knows it. */
export function runtimeStatus(doc: Lifecycle, live: MonitorLive | null | undefined) {
  if (doc.status !== 'active') return 'paused';
  return live?.status === undefined || live.status === 'paused' ? 'unknown' : live.status;
}

/** True during a maintenance window of an active monitor, whatever its checks find. */
export function isInMaintenance(doc: Lifecycle, live: MonitorLive | null | undefined): boolean {
  return doc.status === 'active' && live?.in_maintenance === true;
}

/** The status of a status page's component: `maintenance` during a window, else the current health. */
export function componentStatus(doc: Lifecycle, live: MonitorLive | null | undefined) {
  return isInMaintenance(doc, live) ? 'maintenance' : runtimeStatus(doc, live);
}

/** The target for a reader with this role; without a heartbeat's token, which lets anybody ping. */
export function shownTarget(doc: Pick<MonitorDoc, 'type' | 'target'>, role: ProjectRole): string {
  return doc.type === 'HEARTBEAT' && !canSeeCredentials(role) ? CONCEALED : doc.target;
}

export const CONTENDED = 'The monitor is being changed by another request; try again';
export const PAUSES_DISABLED = 'A disabled monitor cannot be paused; resume it first';
export type Transition = 'pause' | 'resume' | 'disable';

/** The status after a transition, `same` if nothing changes, `refused` for pausing a disabled monitor. */
export function nextStatus(status: LifecycleStatus, transition: Transition) {
  const next = ({ pause: 'paused', resume: 'active', disable: 'disabled' } as const)[transition];
  if (status === next) return 'same';
  return status === 'disabled' && next === 'paused' ? 'refused' : next;
}

/** On every plan: how often a minute one monitor may ask its target. */
export const MAX_REQUESTS_PER_MINUTE = 600;

type RequestSettings = Pick<MonitorDoc, 'interval_seconds' | 'monitoring_regions' | 'icmp' | 'dns' | 'heartbeat'>;

/**
 * How often a minute a monitor asks its target from all the regions that it names (one if it names none):
 * once per check, but an ICMP check once per packet and a DNS check once per record.
 */
export function requestsPerMinute(settings: RequestSettings): number {
  if (settings.heartbeat !== null) return 0;
  const perCheck = settings.icmp?.packet_count ?? settings.dns?.record_entries.length ?? 1;
  const regions = Math.max(1, settings.monitoring_regions.length);
  return Math.ceil((60 / settings.interval_seconds) * regions * perCheck);
}
