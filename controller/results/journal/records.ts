import type { MonitorEffect, MonitorState } from '../../verdicts/monitor-state.ts';
import type { ResultColumns } from '../hours/result-columns.ts';
import type { Rollup } from '../hours/rollup-rules.ts';
import type { StoredResult } from '../hours/stored-result.ts';

/** `written`: it is in; `ours`: it was in already, by an earlier unanswered try; `taken`: another owner has that number. */
export type InsertOutcome = 'written' | 'ours' | 'taken';

/** Up to `n` everything is in blocks, rollups and state documents; `lanes` are the positions after entry `n`. */
export interface Snapshot {
  n: number;
  lanes: Record<string, number>;
  /** When entry `n` was taken, Unix ms; absent where an older version wrote it. */
  taken_at?: number | undefined;
  /** When each lane was last moved, Unix ms; lanes that an earlier version wrote have none. */
  moved?: Record<string, number>;
}

/** A monitor's state after entry `position`, and what that entry still wants done. */
export interface StateRecord {
  monitor_id: string;
  shard: number;
  position: number;
  state: MonitorState;
  outbox: MonitorEffect[];
}

/** The results and the rollup of one monitor and hour as of entry `position`. */
export interface HourRecord {
  monitor_id: string;
  hour: number;
  position: number;
  rows: ResultColumns;
  rollup: Rollup;
}

/** A monitor's hour or day; `hour` and `day` are their starts, Unix ms. */
export interface HourKey {
  monitor_id: string;
  hour: number;
}

export interface HourResults extends HourKey {
  /** In order of their start. */
  rows: StoredResult[];
}

export interface DayKey {
  monitor_id: string;
  day: number;
}
