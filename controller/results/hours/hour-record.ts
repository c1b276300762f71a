import type { ResultColumns } from './result-columns.ts';
import type { Rollup } from './rollup.ts';
import type { StoredResult } from './stored-result.ts';

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
