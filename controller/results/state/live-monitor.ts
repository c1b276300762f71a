import type { MonitorState } from '../../verdicts/monitor-state.ts';
import type { HourRows } from '../hours/hour-rows.ts';
import type { CheckpointState } from './records.ts';

/** A monitor in the memory of its shard's owner. */
export interface LiveMonitor {
  state: MonitorState;
  /** The state if it has no other reference. Only then are routine results recorded in place. */
  own: MonitorState | null;
  /** Number of the last journal entry included in `state`. */
  position: number;
  /** First entry whose effect on `state` is not stored; null if the document is up to date. */
  unsavedFrom: number | null;
  /** Number of unwritten changes. No other write may overtake them. */
  queued: number;
  /** How often its hours and days were written here. A changed number makes cached reads stale. */
  writes: number;
  /** Results in no block yet, by hour: nearly always one hour, for which a map would take 200 bytes. */
  hours: readonly HourRows[];
}

const NO_HOURS: readonly HourRows[] = Object.freeze([]);

/** A monitor as stored in its document at journal entry `position`. */
export function newLiveMonitor(state: MonitorState, position: number): LiveMonitor {
  return { state, own: null, position, unsavedFrom: null, queued: 0, writes: 0, hours: NO_HOURS };
}

/** A monitor as of a checkpoint, whose states have no other reference. */
export function liveMonitorOf({ state, position, unsaved_from: unsavedFrom }: CheckpointState): LiveMonitor {
  return { state, own: state, position, unsavedFrom, queued: 0, writes: 0, hours: NO_HOURS };
}

/** Replaces the rows of an hour; null removes them. */
export function replaceRows(monitor: LiveMonitor, hour: number, rows: HourRows | null): void {
  const others = monitor.hours.filter((other) => other.hour !== hour);
  monitor.hours = rows ? others.concat(rows) : others.length > 0 ? others : NO_HOURS;
}
