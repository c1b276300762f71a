import type { MonitorEffect, MonitorState } from '../../verdicts/monitor-state.ts';

/** Blocks, rollups and state documents have all up to entry `n`; `lanes` are the positions after it. */
export interface Snapshot {
  n: number;
  lanes: Record<string, number>;
  /** When entry `n` was taken, Unix ms; absent where an older version wrote it. */
  taken_at?: number | undefined;
  /** When each lane was last moved, Unix ms; lanes that an earlier version wrote have none. */
  moved?: Record<string, number>;
}

/** A monitor's state after entry `position`, and the effects of that entry still to be carried out. */
export interface StateRecord {
  monitor_id: string;
  shard: number;
  position: number;
  state: MonitorState;
  outbox: MonitorEffect[];
}
