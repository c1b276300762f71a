import { fnv1a } from '../../../shared/ids.ts';
import { DAY_MS, HOUR_GRACE_MS, HOUR_MS, hourOf } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import { isInMaintenance } from '../../verdicts/time-accounting/maintenance-rules.ts';
import type { HourTimes, MonitorState, RegionState } from '../../verdicts/monitor-state.ts';
import { rowsOf } from '../hours/hour-rows.ts';
import { replaceRows, type LiveMonitor } from '../state/live-monitor.ts';
import type { StateRecord } from '../state/records.ts';
import type { ShardState } from '../state/shard-state.ts';
import { markSaved } from './monitor-writes.ts';
import type { StateStore } from './state-store.ts';
import type { HourKey, HourRecord } from '../hours/hour-record.ts';
import type { HourStore } from '../hours/hour-store.ts';
import { MAX_BLOCK_RESULTS } from '../hours/block-codec.ts';
import { ResultColumns } from '../hours/result-columns.ts';
import { addRows, rollupKey, rollupOf, type HourMaintenance } from '../hours/rollup.ts';

/** Monitors write their blocks spread over this much of the next hour. */
const SPREAD_MS = 50 * 60_000;
/** A region in doubt delays its monitor's block no longer than this. */
const MAX_DOUBT_MS = 3 * HOUR_MS;

export interface HourWriterStores {
  hours: Pick<HourStore, 'read' | 'write' | 'rollDays'>;
  states: Pick<StateStore, 'write'>;
}

/** An hour with more results than a block holds. The last to arrive are left out. */
export interface CutHour extends HourKey {
  count: number;
}

/** True if a monitor's closed hours, day or state should be written now. */
export function isDueForWriting(id: string, monitor: LiveMonitor, now: number): boolean {
  if (monitor.queued > 0) return false;
  const before = closedBefore(id, now);
  const { unrolled_day: day } = monitor.state;
  if (day !== null && isDayOver(day, before)) return true;
  return isIdle(monitor, before) || closedHours(monitor, before, now).length > 0;
}

/**
 * Writes the blocks, rollups and states of these monitors as of the shard's current entry. Idempotent, even
 * after a crash between two writes: rows that a block already has are skipped by their entry.
 */
export async function writeClosedHours(
  stores: HourWriterStores, shard: ShardState, ids: string[], now: number,
): Promise<CutHour[]> {
  const position = shard.n;
  const work = ids.flatMap((id) => {
    const monitor = shard.monitors.get(id);
    if (!monitor || monitor.queued > 0) return [];
    const before = closedBefore(id, now);
    const hours = closedHours(monitor, before, now);
    const days = daysOf(monitor.state.unrolled_day, hours, before);
    const { accounted, maintained } = monitor.state;
    return [{ id, monitor, hours, days, accounted, maintained }];
  });
  if (work.length === 0) return [];
  const keys = work.flatMap(({ id, hours }) => hours.map((hour) => ({ monitor_id: id, hour })));
  const found = await stores.hours.read(keys);
  const stored = new Map(found.map((record) => [rollupKey(record.monitor_id, record.hour), record]));
  const merged = work.flatMap(({ id, monitor, hours, accounted, maintained }) => hours.map((hour) => {
    const times = accounted[hour]
      && { accounted: accounted[hour], maintained: maintained?.[hour] ?? [0, 0, 0] };
    return mergedHour({ monitor_id: id, hour, position }, monitor, times, stored.get(rollupKey(id, hour)));
  }));
  await stores.hours.write(merged.map(({ record }) => record));
  const over = work.flatMap(({ id, days }) => days.over.map((day) => ({ monitor_id: id, day, position })));
  if (over.length > 0) await stores.hours.rollDays(over);
  const saved: StateRecord[] = [];
  for (const { id, monitor, hours, days } of work) {
    if (monitor.queued > 0) continue;
    for (const hour of hours) {
      replaceRows(monitor, hour, rowsOf(monitor, hour)?.rowsAfter(position) ?? null);
    }
    monitor.state = { ...withoutHours(monitor.state, hours), unrolled_day: days.left };
    monitor.writes += 1;
    const { position: at, state } = monitor;
    saved.push({ monitor_id: id, shard: shard.shard, position: at, state, outbox: [] });
  }
  await stores.states.write(saved);
  for (const record of saved) markSaved(shard.monitors.get(record.monitor_id), record.position);
  return merged.flatMap(({ record: { monitor_id, hour }, cut: count }) =>
    (count > 0 ? [{ monitor_id, hour, count }] : []));
}

/**
 * True for a monitor changed only by the clock (paused, or without results). It has no hour to be saved with,
 * but the snapshot waits for it. It is written in its hourly turn, because the clock changes all such
 * monitors at once.
 */
function isIdle({ unsavedFrom, hours, state }: LiveMonitor, before: number): boolean {
  if (unsavedFrom === null || hours.length > 0 || Object.keys(state.accounted).length > 0) return false;
  return hourOf(state.accounted_until - 1) <= before;
}

/** The entry up to which this monitor is stored, in a shard at entry `n`. Never decreases. */
export function savedThrough(monitor: LiveMonitor, n: number): number {
  let through = monitor.unsavedFrom === null ? n : Math.min(n, monitor.unsavedFrom - 1);
  for (const rows of monitor.hours) through = Math.min(through, rows.firstEntry - 1);
  return through;
}

/** An hour as of entry `position`, even if later entries were applied while `stored` was read. */
function mergedHour(
  key: HourKey & { position: number }, monitor: LiveMonitor,
  times?: { accounted: HourTimes; maintained: HourTimes }, stored?: HourRecord,
): { record: HourRecord; cut: number } {
  const rows = stored?.rows ?? new ResultColumns(0);
  const isExpired = stored && rows.length === 0 && stored.rollup.total + stored.rollup.missed > 0;
  rowsOf(monitor, key.hour)?.columns(stored?.position ?? 0, key.position, rows);
  const cut = rows.cut(MAX_BLOCK_RESULTS);
  const accounted = times?.accounted ?? stored?.rollup.accounted ?? [0, 0, 0];
  const { config, config: { interval_ms: intervalMs } } = monitor.state;
  const hourMaintenance = {
    accounted: times?.maintained ?? stored?.rollup.maintenance.accounted ?? [0, 0, 0],
    isAt: (at: number) => isInMaintenance(config, at),
  } satisfies HourMaintenance;
  if (!isExpired) {
    const rollup = rollupOf(rows, accounted, intervalMs, hourMaintenance);
    return { record: { rows, rollup, ...key }, cut };
  }
  const { maintenance: added, ...totals } = addRows(stored.rollup, rows, intervalMs, hourMaintenance.isAt);
  const maintenance = { ...added, accounted: hourMaintenance.accounted };
  const rollup = { ...totals, accounted, maintenance };
  return { record: { rows: new ResultColumns(0), rollup, ...key }, cut };
}

/** Past hours that are fully accounted and due to be written. */
function closedHours({ state, hours }: LiveMonitor, before: number, now: number): number[] {
  const isClosed = (hour: number): boolean => hour <= before && state.accounted_until >= hour + HOUR_MS
    && (hour < now - MAX_DOUBT_MS || !isInDoubt(state));
  const accounted = Object.keys(state.accounted).map(Number);
  return [...new Set([...hours.map(({ hour }) => hour), ...accounted])].filter(isClosed);
}

/** True if an unconfirmed failure, or an outage that other regions may confirm, can still become downtime. */
function isInDoubt({ regions }: MonitorState): boolean {
  for (const name in regions) {
    const { ended, fails, verdict } = regions[name] as RegionState;
    if (ended !== undefined || (fails > 0 && verdict !== 'down')) return true;
  }
  return false;
}

interface Days {
  /** To roll up now: past days, and earlier ones changed by late results. */
  over: number[];
  /** The day that has to wait. */
  left: number | null;
}

/** The days of these hours, and the day `waiting`. */
function daysOf(waiting: number | null, hours: number[], before: number): Days {
  const days = new Set(hours.map((hour) => hour - (hour % DAY_MS)));
  if (waiting !== null) days.add(waiting);
  const latest = Math.max(0, ...days);
  if (latest === 0 || isDayOver(latest, before)) return { over: [...days], left: null };
  days.delete(latest);
  return { over: [...days], left: latest };
}

/** True if a day's last hour is closed. */
function isDayOver(day: number, before: number): boolean {
  return day + DAY_MS <= before + HOUR_MS;
}

/** Hours that start at or before this are closed for a monitor, by its turn. */
function closedBefore(id: string, now: number): number {
  return now - HOUR_MS - HOUR_GRACE_MS - (fnv1a(id) / 2 ** 32) * SPREAD_MS;
}

function withoutHours(state: MonitorState, hours: number[]): MonitorState {
  const accounted = { ...state.accounted };
  const maintained = { ...state.maintained };
  for (const hour of hours) {
    delete accounted[hour];
    delete maintained[hour];
  }
  return { ...state, accounted, maintained: Object.keys(maintained).length > 0 ? maintained : null };
}
