import { fnv1a } from '../../../shared/ids.ts';
import { HOUR_MS, hourOf } from '../../verdicts/booking-rules.ts';
import type { HourTimes, MonitorState } from '../../verdicts/monitor-state.ts';
import { ResultColumns } from '../hours/result-columns.ts';
import { addRows, DAY_MS, rollupKey, rollupOf } from '../hours/rollup.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ShardState } from '../state/shard-state.ts';
import type { StateStore } from './state-store.ts';
import type { DayKey, HourRecord } from '../hours/hour-record.ts';
import type { StateRecord } from '../state/records.ts';
import type { HourStore } from '../hours/hour-store.ts';

/** An hour is closed in the journal this long after its end, so that what was under way is in it. */
export const HOUR_GRACE_MS = 120_000;
/** Blocks are written spread over this much of the hour that follows. */
const SPREAD_MS = 50 * 60_000;
/** A region in doubt holds its monitor's block back no longer than this. */
const DOUBT_MS = 3 * HOUR_MS;

/** Whether a monitor's closed hours are due to be written. */
export function isDueForWriting(id: string, cell: LiveMonitor, now: number): boolean {
  return cell.queued === 0 && (closedHours(id, cell, now).length > 0 || unrolledDay(id, cell.state, now) !== null || isIdle(id, cell, now));
}

/**
 * Writes the blocks, rollups and state of these monitors as of the entry the shard stands at. Repeating it, also after
 * a crash between any two writes, changes nothing: rows that a block has already seen are left out by their entry.
 */
export async function writeClosedHours(stores: { hours: Pick<HourStore, 'read' | 'write' | 'rollDays'>; states: Pick<StateStore, 'write'> }, shard: ShardState, ids: string[], now: number): Promise<void> {
  const position = shard.n;
  const work = ids.flatMap((id) => {
    const cell = shard.monitors.get(id);
    return cell && cell.queued === 0 ? [{ id, cell, hours: closedHours(id, cell, now), booked: { ...cell.state.booked } }] : [];
  });
  if (work.length === 0) return;
  const keys = work.flatMap(({ id, hours }) => hours.map((hour) => ({ monitor_id: id, hour })));
  const known = new Map((await stores.hours.read(keys)).map((record) => [rollupKey(record.monitor_id, record.hour), record]));
  const records = work.flatMap(({ id, cell, hours, booked }) =>
    hours.map((hour) => mergedHour({ id, hour, position, cell, booked: booked[hour] ?? null }, known.get(rollupKey(id, hour)))));
  await stores.hours.write(records);
  const unrolled = await rollDays(stores.hours, work, position, now);
  const saved: StateRecord[] = [];
  for (const { id, cell, hours } of work) {
    if (cell.queued > 0) continue;
    for (const hour of hours) {
      const rest = cell.hours.get(hour)?.keepAfter(hour, position);
      if (rest) cell.hours.set(hour, rest);
      else cell.hours.delete(hour);
    }
    cell.state = { ...withoutHours(cell.state, hours), unrolled_day: unrolled.get(id) ?? null };
    cell.writes += 1;
    saved.push({ monitor_id: id, shard: shard.shard, position: cell.position, state: cell.state, outbox: [] });
  }
  await stores.states.write(saved);
  for (const record of saved) markSaved(shard.monitors.get(record.monitor_id), record.position);
}

/**
 * Changed by the clock alone (paused, unheard of): no hour of its own will ever save it, and the snapshot waits for it. In its
 * place of the spread, like an hour: the clock changes all of them at once.
 */
function isIdle(id: string, cell: LiveMonitor, now: number): boolean {
  if (cell.unsavedFrom === null || cell.hours.size > 0 || Object.keys(cell.state.booked).length > 0) return false;
  return hourOf(cell.state.booked_until - 1) <= closedBefore(id, now);
}

/** Notes that a monitor's document is as good as entry `position`. */
export function markSaved(cell: LiveMonitor | undefined, position: number): void {
  if (!cell || cell.unsavedFrom === null) return;
  cell.unsavedFrom = cell.position <= position ? null : Math.max(cell.unsavedFrom, position + 1);
}

/** The entry up to which nothing of this monitor is only in the journal, of a shard that stands at entry `n`. Never goes back. */
export function savedThrough(cell: LiveMonitor, n: number): number {
  let through = cell.unsavedFrom === null ? n : Math.min(n, cell.unsavedFrom - 1);
  for (const rows of cell.hours.values()) through = Math.min(through, rows.firstEntry - 1);
  return through;
}

function mergedHour(
  part: { id: string; hour: number; position: number; cell: LiveMonitor; booked: HourTimes | null }, known: HourRecord | undefined,
): HourRecord {
  // Entries go on while the store is read: what they bring belongs to a later position.
  const rows = known?.rows ?? new ResultColumns(0);
  const isPruned = known !== undefined && rows.length === 0 && known.rollup.total + known.rollup.missed > 0;
  part.cell.hours.get(part.hour)?.columns(known?.position ?? 0, part.position, rows);
  const booked = part.booked ?? known?.rollup.booked ?? [0, 0, 0];
  const intervalMs = part.cell.state.config.interval_ms;
  if (isPruned) {
    const rollup = addRows(known.rollup, rows, intervalMs);
    return { monitor_id: part.id, hour: part.hour, position: part.position, rows: new ResultColumns(0), rollup: { ...rollup, booked } };
  }
  return { monitor_id: part.id, hour: part.hour, position: part.position, rows, rollup: rollupOf(rows, booked, intervalMs) };
}

/** Hours of a monitor that are over, booked to their end and past the monitor's place in the spread. */
function closedHours(id: string, cell: LiveMonitor, now: number): number[] {
  const before = closedBefore(id, now);
  const closed = new Set<number>();
  const consider = (hour: number): void => {
    if (hour <= before && cell.state.booked_until >= hour + HOUR_MS && (!inDoubt(cell.state) || hour < now - DOUBT_MS)) closed.add(hour);
  };
  for (const hour of cell.hours.keys()) consider(hour);
  for (const hour in cell.state.booked) consider(Number(hour));
  return [...closed];
}

/** A failure that is not confirmed yet, or an outage that other regions may have seen too, may still turn booked time into down time. */
function inDoubt(state: MonitorState): boolean {
  for (const name in state.regions) {
    const region = state.regions[name];
    if (region && (region.ended !== undefined || (region.fails > 0 && region.verdict !== 'down'))) return true;
  }
  return false;
}

/**
 * Makes the rollups of days that are over, and again those of days that late results have changed.
 * @returns for each monitor the day that is left for later, if any.
 */
async function rollDays(
  store: Pick<HourStore, 'rollDays'>, work: { id: string; cell: LiveMonitor; hours: number[] }[], position: number, now: number,
): Promise<Map<string, number>> {
  const left = new Map<string, number>();
  const over: DayKey[] = [];
  for (const { id, cell, hours } of work) {
    const days = [...new Set(hours.map(dayOf))].sort((a, b) => a - b);
    const known = cell.state.unrolled_day;
    const latest = Math.max(known ?? 0, days.at(-1) ?? 0);
    // Also one that has none yet: of a day that nobody watched it may all have come late.
    for (const day of days) if (day < latest && day !== known) over.push({ monitor_id: id, day });
    if (known !== null && known < latest) over.push({ monitor_id: id, day: known });
    if (isDayOver(id, latest, now)) over.push({ monitor_id: id, day: latest });
    else if (latest > 0) left.set(id, latest);
  }
  const distinct = new Map(over.map(({ monitor_id, day }) => [rollupKey(monitor_id, day), { monitor_id, day, position }]));
  if (distinct.size > 0) await store.rollDays([...distinct.values()]);
  return left;
}

function dayOf(at: number): number {
  return at - (at % DAY_MS);
}

/** Whether a day's last hour is written, if it is ever to be. */
function isDayOver(id: string, day: number, now: number): boolean {
  return day > 0 && day + DAY_MS <= closedBefore(id, now) + HOUR_MS;
}

function unrolledDay(id: string, state: MonitorState, now: number): number | null {
  return state.unrolled_day !== null && isDayOver(id, state.unrolled_day, now) ? state.unrolled_day : null;
}

/** Hours that start at or before this are closed for a monitor: its place in the spread is past. */
function closedBefore(id: string, now: number): number {
  return now - HOUR_MS - HOUR_GRACE_MS - (fnv1a(id) / 2 ** 32) * SPREAD_MS;
}

function withoutHours(state: MonitorState, hours: number[]): MonitorState {
  const booked = { ...state.booked };
  for (const hour of hours) delete booked[hour];
  return { ...state, booked };
}
