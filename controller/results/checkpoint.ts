import { fnv1a } from '../../shared/ids.ts';
import { HOUR_MS } from '../incidents/booking-rules.ts';
import type { HourTimes, MonitorState } from '../incidents/monitor-state.ts';
import { rollupOf } from './rollup-rules.ts';
import type { MonitorCell, ShardState } from './shard-state.ts';
import type { HourRecord, HourStore, StateRecord, StateStore } from './storage-ports.ts';

/** An hour is closed in the journal this long after its end, so that what was under way is in it. */
export const HOUR_GRACE_MS = 120_000;
/** Blocks are written spread over this much of the hour that follows. */
const SPREAD_MS = 50 * 60_000;
/** A region in doubt holds its monitor's block back no longer than this. */
const DOUBT_MS = 3 * HOUR_MS;
/** Monitors of one shard whose blocks are written at once. */
export const CHECKPOINT_MONITORS = 100;

/** Monitors of a shard whose closed hours are due to be written, at most CHECKPOINT_MONITORS. */
export function dueForCheckpoint(shard: ShardState, now: number): string[] {
  const due: string[] = [];
  for (const [id, cell] of shard.monitors) {
    if (cell.queued === 0 && (cell.hours.size > 0 || hasBooked(cell.state)) && closedHours(id, cell, now).length > 0) due.push(id);
    if (due.length === CHECKPOINT_MONITORS) break;
  }
  return due;
}

/**
 * Writes the blocks, rollups and state of these monitors as of the entry the shard stands at. Repeating it, also after
 * a crash between any two writes, changes nothing: rows that a block has already seen are left out by their entry.
 */
export async function checkpoint(stores: { hours: HourStore; states: StateStore }, shard: ShardState, ids: string[], now: number): Promise<void> {
  const position = shard.n;
  const work = ids.flatMap((id) => {
    const cell = shard.monitors.get(id);
    return cell && cell.queued === 0 ? [{ id, cell, hours: closedHours(id, cell, now), booked: { ...cell.state.booked } }] : [];
  });
  const keys = work.flatMap(({ id, hours }) => hours.map((hour) => ({ monitor_id: id, hour })));
  if (keys.length === 0) return;
  const known = new Map((await stores.hours.read(keys)).map((record) => [`${record.monitor_id}:${record.hour}`, record]));
  const records = work.flatMap(({ id, cell, hours, booked }) =>
    hours.map((hour) => mergedHour({ id, hour, position, cell, booked: booked[hour] ?? null }, known.get(`${id}:${hour}`))));
  await stores.hours.write(records);
  const saved: StateRecord[] = [];
  for (const { id, cell, hours } of work) {
    if (cell.queued > 0) continue;
    for (const hour of hours) {
      const rows = cell.hours.get(hour);
      if (rows && rows.lastEntry <= position) cell.hours.delete(hour);
    }
    cell.state = withoutHours(cell.state, hours);
    saved.push({ monitor_id: id, shard: shard.shard, position: cell.position, state: cell.state, outbox: [] });
  }
  await stores.states.write(saved);
  for (const record of saved) markSaved(shard.monitors.get(record.monitor_id), record.position);
}

/** Notes that a monitor's document is as good as entry `position`. */
export function markSaved(cell: MonitorCell | undefined, position: number): void {
  if (!cell || cell.unsavedFrom === null) return;
  cell.unsavedFrom = cell.position <= position ? null : Math.max(cell.unsavedFrom, position + 1);
}

/** The entry up to which nothing is only in the journal. */
export function savedThrough(shard: ShardState): number {
  let through = shard.n;
  for (const cell of shard.monitors.values()) {
    if (cell.unsavedFrom !== null) through = Math.min(through, cell.unsavedFrom - 1);
    for (const rows of cell.hours.values()) through = Math.min(through, rows.firstEntry - 1);
  }
  return through;
}

function mergedHour(
  part: { id: string; hour: number; position: number; cell: MonitorCell; booked: HourTimes | null }, known: HourRecord | undefined,
): HourRecord {
  const fresh = part.cell.hours.get(part.hour)?.after(known?.position ?? 0) ?? [];
  const rows = [...(known?.rows ?? []), ...fresh];
  const booked = part.booked ?? known?.rollup.booked ?? [0, 0, 0];
  return { monitor_id: part.id, hour: part.hour, position: part.position, rows, rollup: rollupOf(rows, booked, part.cell.state.config.interval_ms) };
}

/** Hours of a monitor that are over, booked to their end and past the monitor's place in the spread. */
function closedHours(id: string, cell: MonitorCell, now: number): number[] {
  const before = now - HOUR_MS - HOUR_GRACE_MS - (fnv1a(id) / 2 ** 32) * SPREAD_MS;
  const closed = new Set<number>();
  const consider = (hour: number): void => {
    if (hour <= before && cell.state.booked_until >= hour + HOUR_MS && (!inDoubt(cell.state) || hour < now - DOUBT_MS)) closed.add(hour);
  };
  for (const hour of cell.hours.keys()) consider(hour);
  for (const hour in cell.state.booked) consider(Number(hour));
  return [...closed];
}

/** A failure that is not confirmed yet may still turn booked time into down time. */
function inDoubt(state: MonitorState): boolean {
  for (const name in state.regions) {
    const region = state.regions[name];
    if (region && region.fails > 0 && region.verdict !== 'down') return true;
  }
  return false;
}

function hasBooked(state: MonitorState): boolean {
  for (const _ in state.booked) return true;
  return false;
}

function withoutHours(state: MonitorState, hours: number[]): MonitorState {
  const booked = { ...state.booked };
  for (const hour of hours) delete booked[hour];
  return { ...state, booked };
}
