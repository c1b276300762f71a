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

/** A state that its document lacks, after entry `position`. */
export interface UnsavedState {
  position: number;
  state: MonitorState;
  /** First entry whose effect on it is not in its document. */
  unsaved_from: number;
}

export type CheckpointPart = (UnsavedState & { monitor_id: string })[];

/**
 * With the documents, all states of a shard as of entry `n` or later, by monitor. What they do not have is in
 * the journal after the snapshot: results by hour.
 */
export interface Checkpoint extends CheckpointStart {
  states: Map<string, UnsavedState>;
}

/** A monitor's state after entry `position`, and that entry's pending effects. */
export interface StateRecord {
  monitor_id: string;
  shard: number;
  position: number;
  state: MonitorState;
  outbox: MonitorEffect[];
}
