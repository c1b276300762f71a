import type { HourTimes } from '../../../verdicts/monitor-state.ts';
import { emptyRollup, type Totals } from '../../hours/rollup.ts';
import { countResult, tenths } from '../../hours/row-layout.ts';
import type { StoredResult } from '../../hours/stored-result.ts';
import type { UnwrittenMonitor } from './unwritten-monitor.ts';

/** The owner's results of an hour from entries after `after`. */
export type UnwrittenRowsReader = (monitorId: string, hour: number, after: number) => Promise<StoredResult[]>;

interface WrittenHours {
  /** The first hour of the period. */
  from: number;
  /** The journal entry up to which an hour is in the rollups; undefined if it is in none. */
  positionOf(hour: number): number | undefined;
}

const NO_TIMES: HourTimes = [0, 0, 0];

/** A monitor's unwritten totals, without those already in the rollups. */
export async function unwrittenTotals(
  { monitor_id: id, hours }: UnwrittenMonitor,
  { from, positionOf }: WrittenHours,
  readRows: UnwrittenRowsReader,
): Promise<{ hour: number; totals: Totals }[]> {
  const parts: { hour: number; totals: Totals }[] = [];
  for (const { hour, first_entry: first, last_entry: last, counts, times, maintenance } of hours) {
    if (hour < from) continue;
    const position = positionOf(hour);
    const isWritten = position !== undefined;
    const isCounted = isWritten && first !== null && first <= position;
    const part: Totals = { ...emptyRollup() };
    if (!isWritten && times !== null) {
      part.times = times;
      part.maintenance = { accounted: NO_TIMES, times: maintenance ?? NO_TIMES };
    }
    if (!isCounted) parts.push({ hour, totals: { ...part, ...counts } });
    // A new owner also has late results that arrived after the hour was written.
    else if (last && last > position) {
      parts.push({ hour, totals: countsOf(await readRows(id, hour, position)) });
    }
  }
  return parts;
}

function countsOf(rows: StoredResult[]): Totals {
  const totals = emptyRollup();
  for (const row of rows) {
    const time = row.response_time_ms === null ? null : tenths(row.response_time_ms);
    countResult(totals, row.outcome, time, row.missed?.count ?? 1);
  }
  return totals;
}
