import { HOUR_MS } from '../incidents/booking-rules.ts';
import type { HourTimes } from '../incidents/monitor-state.ts';
import { countRow, type HourCounts } from './hour-rows.ts';
import type { StoredResult } from './stored-result.ts';

export const DAY_MS = 24 * HOUR_MS;

/** Statistics of one monitor over an hour or a day. Rollups of neighbouring stretches add up. */
export interface Rollup extends HourCounts {
  /** Ms watched as up, degraded, down: `booked` as decided at the time, `times` with late results filled in. */
  booked: HourTimes;
  times: HourTimes;
  /** Response times of successful checks: bucket number and count. Bucket b holds times up to 1.05^b tenths of a ms. */
  histogram: [bucket: number, count: number][];
  regions: Record<string, HourCounts>;
}

const BUCKET_BASE = Math.log(1.05);

/** Number of the histogram bucket of a response time (ms): 5 % wide. */
export function bucketOf(ms: number): number {
  return Math.max(0, Math.ceil(Math.log(Math.max(1, ms * 10)) / BUCKET_BASE));
}

/** Upper bound of a bucket, ms. */
export function bucketTop(bucket: number): number {
  return Math.round(Math.exp(bucket * BUCKET_BASE)) / 10;
}

export function emptyRollup(): Rollup {
  return { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0, booked: [0, 0, 0], times: [0, 0, 0], histogram: [], regions: {} };
}

/**
 * The rollup of an hour from all of its results and the times booked while it ran. Results that came late fill time
 * that nobody had watched, at most one interval each, and never more than the hour has.
 */
export function rollupOf(rows: StoredResult[], booked: HourTimes, intervalMs: number): Rollup {
  const rollup: Rollup = { ...emptyRollup(), booked, times: [...booked] };
  const buckets = new Map<number, number>();
  for (const row of rows) {
    countRow(rollup, row);
    countRow((rollup.regions[row.region] ??= { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0 }), row);
    if (row.outcome === 'success' && row.response_time_ms !== null) {
      const bucket = bucketOf(row.response_time_ms);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    }
    if (row.late && row.outcome !== 'missed') fillGap(rollup.times, row, intervalMs);
  }
  rollup.histogram = [...buckets].sort((a, b) => a[0] - b[0]);
  return rollup;
}

/** A rollup whose own results are past their retention, with some more counted in. */
export function addRows(rollup: Rollup, rows: StoredResult[], intervalMs: number): Rollup {
  const added = rollupOf(rows, rollup.times, intervalMs);
  return { ...mergeRollups([rollup, added]), booked: rollup.booked, times: added.times };
}

function fillGap(times: HourTimes, row: StoredResult, intervalMs: number): void {
  const free = HOUR_MS - times[0] - times[1] - times[2];
  const column = row.outcome === 'failure' ? 2 : row.degraded ? 1 : 0;
  times[column] += Math.max(0, Math.min(free, intervalMs));
}

/** The sum of rollups: a day of its hours, a period of its days. */
export function mergeRollups(parts: Rollup[]): Rollup {
  const sum = emptyRollup();
  const buckets = new Map<number, number>();
  for (const part of parts) {
    addCounts(sum, part);
    for (const column of [0, 1, 2] as const) {
      sum.booked[column] += part.booked[column];
      sum.times[column] += part.times[column];
    }
    for (const [bucket, count] of part.histogram) buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
    for (const [name, counts] of Object.entries(part.regions)) {
      addCounts((sum.regions[name] ??= { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0 }), counts);
    }
  }
  sum.histogram = [...buckets].sort((a, b) => a[0] - b[0]);
  return sum;
}

function addCounts(sum: HourCounts, part: HourCounts): void {
  sum.total += part.total;
  sum.failed += part.failed;
  sum.missed += part.missed;
  sum.time_sum += part.time_sum;
  sum.time_count += part.time_count;
}

/** Share of watched time that was up or degraded, percent; null when nothing was watched. */
export function uptimeOf(times: HourTimes): number | null {
  const watched = times[0] + times[1] + times[2];
  return watched === 0 ? null : ((times[0] + times[1]) / watched) * 100;
}

/** Mean response time of successful checks, ms to a tenth; null without any. */
export function meanTimeOf(counts: HourCounts): number | null {
  return counts.time_count === 0 ? null : Math.round(counts.time_sum / counts.time_count) / 10;
}
