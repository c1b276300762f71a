import type { MonitorEffect, MonitorState } from '../../verdicts/monitor-state.ts';

/** A lane and the position up to which it is journaled. */
export interface LanePosition {
  lane: string;
  position: number;
  /** When the lane last moved, Unix ms by the writer's clock. */
  moved_at: number;
}

/** Blocks, rollups and state documents include everything up to entry `n`. */
export interface Snapshot {
  n: number;
  /** The lanes after entry `n`, each probe's in the order of their last move. */
  lanes: LanePosition[];
  /** When entry `n` was taken, Unix ms; 0 before the first. */
  taken_at: number;
}

/** A monitor's state after entry `position`, and that entry's pending effects. */
export interface StateRecord {
  monitor_id: string;
  shard: number;
  position: number;
  state: MonitorState;
  outbox: MonitorEffect[];
}
