import { HOUR_MS } from '../incidents/booking-rules.ts';
import type { HourTimes } from '../incidents/monitor-state.ts';
import type { HourCounts } from './hour-rows.ts';
import type { ResultColumns } from './result-columns.ts';
import { DEGRADED, HAS_TIME, LATE, OUTCOME, outcomeOf } from './row-layout.ts';

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
export function rollupOf(rows: ResultColumns, booked: HourTimes, intervalMs: number): Rollup {
  const rollup: Rollup = { ...emptyRollup(), booked, times: [...booked] };
  const bySource: HourCounts[] = [];
  const buckets = new Map<number, number>();
  for (let at = 0; at < rows.length; at += 1) {
    const source = rows.source[at] as number;
    const flags = rows.flags[at] as number;
    countColumn(bySource[source] ??= countsOf(rollup, rows.sources[source]?.region ?? ''), rows, at);
    if ((flags & (OUTCOME | HAS_TIME)) === HAS_TIME) {
      const bucket = bucketOf((rows.time[at] as number) / 10);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    }
    if (flags & LATE && outcomeOf(flags) !== 'missed') fillGap(rollup.times, flags, intervalMs);
  }
  for (const name in rollup.regions) addCounts(rollup, rollup.regions[name] as HourCounts);
  rollup.histogram = [...buckets].sort((a, b) => a[0] - b[0]);
  return rollup;
}

/** A rollup whose own results are past their retention, with some more counted in. */
export function addRows(rollup: Rollup, rows: ResultColumns, intervalMs: number): Rollup {
  const added = rollupOf(rows, rollup.times, intervalMs);
  return { ...mergeRollups([rollup, added]), booked: rollup.booked, times: added.times };
}

/** The counts of a region, which several probes may share. */
function countsOf(rollup: Rollup, region: string): HourCounts {
  return (rollup.regions[region] ??= { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0 });
}

function countColumn(counts: HourCounts, rows: ResultColumns, at: number): void {
  const flags = rows.flags[at] as number;
  const outcome = outcomeOf(flags);
  if (outcome === 'missed') {
    counts.missed += rows.rare.get(at)?.missed?.count ?? 1;
    return;
  }
  counts.total += 1;
  if (outcome === 'failure') counts.failed += 1;
  else if (flags & HAS_TIME) {
    counts.time_sum += rows.time[at] as number;
    counts.time_count += 1;
  }
}

function fillGap(times: HourTimes, flags: number, intervalMs: number): void {
  const free = HOUR_MS - times[0] - times[1] - times[2];
  const column = outcomeOf(flags) === 'failure' ? 2 : flags & DEGRADED ? 1 : 0;
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
