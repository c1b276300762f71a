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
  hours: Map<number, HourRows>;
}

/** A monitor as stored in its document at journal entry `position`. */
export function newLiveMonitor(state: MonitorState, position: number): LiveMonitor {
  return { state, own: null, position, unsavedFrom: null, queued: 0, writes: 0, hours: new Map() };
}
