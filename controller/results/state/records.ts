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

/** Where a checkpoint begins: the shard after entry `n`. */
export interface CheckpointStart extends Snapshot {
  /** Journaled pings that may still be in their collection, with their entry number. */
  pings: { id: string; n: number }[];
}

/** A monitor's state after entry `position`. */
export interface CheckpointState {
  monitor_id: string;
  position: number;
  state: MonitorState;
  /** First entry whose effect on it is not in its document; null if there is none. */
  unsaved_from: number | null;
}

export type CheckpointPart = CheckpointState[];

/**
 * All monitors of a shard, each as of entry `n` or later. Documents that were written later have a later
 * position. What the states do not have is in the journal after the snapshot: results by hour.
 */
export interface Checkpoint extends CheckpointStart {
  states: CheckpointState[];
}

/** A monitor's state after entry `position`, and that entry's pending effects. */
export interface StateRecord {
  monitor_id: string;
  shard: number;
  position: number;
  state: MonitorState;
  outbox: MonitorEffect[];
}
