import { fnv1a, mix } from '../../shared/ids.ts';
import type { MonitorDoc } from './monitor.ts';

/** The next slot in any of `regionCount` regions, Unix ms; null if the monitor is not being checked. */
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

/**
 * Offset of a monitor's slots in its interval, ms, from 0 to `intervalMs - 1`. The monitor's hash spreads
 * monitors over the interval; its R regions are spaced evenly, so they see a fault within interval / R.
 */
export function phaseMs(monitorId: string, intervalMs: number, region: number, regions: number): number {
  const base = mix(fnv1a(monitorId)) % intervalMs;
  return (base + Math.floor((region * intervalMs) / regions)) % intervalMs;
}
