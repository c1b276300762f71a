import type { HourStore } from '../../controller/results/hours/hour-store.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { emptyRollup } from '../../controller/results/hours/rollup.ts';
import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import { HOUR_MS, hourOf } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';

const MINUTE_MS = 60_000;
const HOURS = 5;

/** Minutes after the start of the history. */
export type StoredOutage = [from: number, to: number];

/** Stores five hours of checks from three regions once a minute, from a full hour on, with outages. */
export async function storeHistory(
  hours: HourStore, monitorId: string, from: number, outages: StoredOutage[],
): Promise<void> {
  const rows = Array.from({ length: HOURS * 60 }, (_, minute) => ['eu', 'us', 'ap'].map((region, at): StoredResult => {
    const isDown = outages.some(([first, end]) => minute >= first && minute < end);
    const started_at = from + minute * MINUTE_MS + at * 1000;
    return {
      region, probe_id: region, scheduled_at: started_at, started_at, outcome: isDown ? 'failure' : 'success',
      degraded: false, reason: 'schedule', attempt: 1, late: false, response_time_ms: 50, status_code: null,
      error: isDown ? { type: 'connection_error', message: 'refused' } : null, missed: null, timings: null,
    };
  })).flat();
  await hours.write(Array.from({ length: HOURS }, (_, index) => {
    const hour = from + index * HOUR_MS;
    const inHour = rows.filter(({ started_at }) => hourOf(started_at) === hour);
    return { monitor_id: monitorId, hour, position: 1, rows: ResultColumns.of(inHour), rollup: emptyRollup() };
  }));
}
