import { phaseMs } from '../assignments/rules.ts';
import type { MonitorLive } from '../results/reading/live.ts';
import { timeoutMs, type ConfirmationPolicy, type LifecycleStatus, type MonitorDoc } from './monitor.ts';

export const DEFAULT_POLICY: ConfirmationPolicy = { regions: 'majority', retries: 1 };

/** When the next slot of a monitor that runs in `regionCount` regions is due, Unix ms; null when it is not active, or waits for pings. */
export function nextCheckAt(doc: MonitorDoc, regionCount: number, now: number): number | null {
  if (doc.status !== 'active' || doc.type === 'HEARTBEAT') return null;
  const intervalMs = doc.interval_seconds * 1000;
  const count = Math.max(1, regionCount);
  const slots = Array.from({ length: count }, (_, index) => {
    const phase = phaseMs(doc._id, intervalMs, index, count);
    return Math.ceil((now - phase) / intervalMs) * intervalMs + phase;
  });
  return Math.min(...slots);
}

/** The timeout to store when `given` was sent: one that only repeats what the monitor follows anyway stays unset. */
export function storedTimeout(given: number | null | undefined, current: Pick<MonitorDoc, 'timeout_ms' | 'interval_seconds'> | null): number | null {
  if (given === undefined) return current?.timeout_ms ?? null;
  if (given !== null && current !== null && current.timeout_ms === null && given === timeoutMs(current)) return null;
  return given;
}

/** The current health; `paused` unless the monitor is active, `unknown` if no shard owner knows it. */
export function runtimeStatus(doc: Pick<MonitorDoc, 'status'>, live: MonitorLive | null | undefined) {
  if (doc.status !== 'active') return 'paused';
  return live?.status === undefined || live.status === 'paused' ? 'unknown' : live.status;
}

export const CONTENDED = 'The monitor is being changed by other requests';
export const PAUSES_DISABLED = 'A disabled monitor cannot be paused; resume it first';
export type Transition = 'pause' | 'resume' | 'disable';

/** The status after a transition, `same` when there is nothing to do, `refused` for pausing what is disabled. */
export function nextStatus(status: LifecycleStatus, transition: Transition): LifecycleStatus | 'same' | 'refused' {
  if (transition === 'resume') return status === 'active' ? 'same' : 'active';
  if (transition === 'disable') return status === 'disabled' ? 'same' : 'disabled';
  if (status === 'disabled') return 'refused';
  return status === 'paused' ? 'same' : 'paused';
}

/** On every plan: what one monitor may do to its target at most, whatever its interval, regions and packets multiply to. */
export const MOST_ASKED_PER_MINUTE = 600;

/**
 * How often a minute a monitor's target is asked from all the regions that it names (one, when it leaves them to us): a check
 * counts once, an ICMP check once for each packet, a DNS check once for each record.
 */
export function askedPerMinute(settings: Pick<MonitorDoc, 'interval_seconds' | 'monitoring_regions' | 'icmp' | 'dns' | 'heartbeat'>): number {
  if (settings.heartbeat !== null) return 0;
  const perCheck = settings.icmp?.packet_count ?? settings.dns?.record_entries.length ?? 1;
  return Math.ceil((60 / settings.interval_seconds) * Math.max(1, settings.monitoring_regions.length) * perCheck);
}
