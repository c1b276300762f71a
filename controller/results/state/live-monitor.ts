import type { MonitorState } from '../../verdicts/monitor-state.ts';
import type { HourRows } from '../hours/hour-rows.ts';

/** A monitor in the memory of the controller that has its shard. */
export interface LiveMonitor {
  state: MonitorState;
  /** The state, while nobody else holds it: what only confirms it is then noted in it. Any other object is never changed. */
  own: MonitorState | null;
  /** Number of the last journal entry that `state` has seen. */
  position: number;
  /** First entry whose effect on `state` is in no document; null when the document is as good. */
  unsavedFrom: number | null;
  /** Changes that are decided and not yet written: until then no other write may overtake them. */
  queued: number;
  /** How often hours and days of it were written here: what somebody read of them before is then old. */
  writes: number;
  hours: Map<number, HourRows>;
}

/** A monitor as its document at journal entry `position` has it. */
export function newLiveMonitor(state: MonitorState, position: number): LiveMonitor {
  return { state, own: null, position, unsavedFrom: null, queued: 0, writes: 0, hours: new Map() };
}
