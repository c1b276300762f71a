import type { MonitorState } from '../../verdicts/monitor-state.ts';
import type { HourRows } from '../hours/hour-rows.ts';

/** A monitor in the memory of the controller that has its shard. */
export interface LiveMonitor {
  state: MonitorState;
  /** The state while nobody else holds it: only then are results that confirm it noted in place. */
  own: MonitorState | null;
  /** Number of the last journal entry that `state` has seen. */
  position: number;
  /** First entry whose effect on `state` is in no document; null when the document is up to date. */
  unsavedFrom: number | null;
  /** Decided changes that are not written yet; no other write may overtake them. */
  queued: number;
  /** How often its hours and days were written here: what was read of them before is then stale. */
  writes: number;
  /** Results that no block holds yet, by hour: nearly always of one hour, for which a map takes 200 bytes. */
  hours: readonly HourRows[];
}

const NO_HOURS: readonly HourRows[] = Object.freeze([]);

/** A monitor as stored in its document at journal entry `position`. */
export function newLiveMonitor(state: MonitorState, position: number): LiveMonitor {
  return { state, own: null, position, unsavedFrom: null, queued: 0, writes: 0, hours: NO_HOURS };
}

/** Results of the hour that starts at `hour` (Unix ms); undefined if there are none. */
export function rowsOf({ hours }: LiveMonitor, hour: number): HourRows | undefined {
  // The running hour comes last.
  for (let at = hours.length - 1; at >= 0; at -= 1) if (hours[at]?.hour === hour) return hours[at];
  return undefined;
}

/** Puts `rows` in the place of what there is of that hour; with null, nothing remains of it. */
export function replaceRows(monitor: LiveMonitor, hour: number, rows: HourRows | null): void {
  const others = monitor.hours.filter((other) => other.hour !== hour);
  monitor.hours = rows ? [...others, rows] : others.length > 0 ? others : NO_HOURS;
}
