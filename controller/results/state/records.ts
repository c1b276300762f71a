import type { MonitorEffect, MonitorState } from '../../verdicts/monitor-state.ts';

/** Everything of a lane up to `position` is in the journal. */
export interface LanePosition {
  lane: string;
  position: number;
  /** When the lane was last moved, Unix ms by its writer's clock; absent where an older version wrote it. */
  moved_at?: number;
}

/** Blocks, rollups and state documents have all up to entry `n`. */
export interface Snapshot {
  n: number;
  /** The lanes after entry `n`, those of each probe in the order in which they were last moved. */
  lanes: LanePosition[];
  /** When entry `n` was taken, Unix ms; absent where an older version wrote it. */
  taken_at?: number | undefined;
}

/** A monitor's state after entry `position`, and the effects of that entry still to be carried out. */
export interface StateRecord {
  monitor_id: string;
  shard: number;
  position: number;
  state: MonitorState;
  outbox: MonitorEffect[];
}
