import { HOUR_MS } from '../../verdicts/booking-rules.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import type { HourCounts } from './hour-rows.ts';
import type { ResultColumns } from './result-columns.ts';
import { DEGRADED, HAS_TIME, LATE, OUTCOME, outcomeOf } from './row-layout.ts';

export const DAY_MS = 24 * HOUR_MS;

/** What a rollup says of all regions together. */
export interface Totals extends HourCounts {
  /** Ms watched as up, degraded, down: `booked` as decided at the time, `times` with late results filled in. */
  booked: HourTimes;
  times: HourTimes;
}

/** Statistics of one monitor over an hour or a day. Rollups of neighbouring stretches add up. */
export interface Rollup extends Totals {
  regions: Record<string, RegionRollup>;
}

/** Bucket number and count, by number. Bucket b holds times up to 1.05^b tenths of a ms. */
export type Histogram = [bucket: number, count: number][];

/** One region's share. Response times are of successful checks; rollups from before they were kept by region have none. */
export interface RegionRollup extends HourCounts {
  /** Shortest and longest response time, tenths of a ms; 0 without any. */
  time_min: number;
  time_max: number;
  histogram: Histogram;
}

/** The starts of the hours or days from `from`, which is one, to before `to`. */
export function steps(from: number, to: number, unitMs: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / unitMs)) }, (_, index) => from + index * unitMs);
}

/** Names a monitor's hour or day, by its start, Unix ms: for maps; in the database it has another name. */
export function rollupKey(monitorId: string, start: number): string {
  return `${monitorId}:${start}`;
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
  return { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0, booked: [0, 0, 0], times: [0, 0, 0], regions: {} };
}

function emptyRegion(): RegionRollup {
  return { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0, time_min: 0, time_max: 0, histogram: [] };
}

/**
 * The rollup of an hour from all of its results and the times booked while it ran. Results that came late fill time
 * that nobody had watched, at most one interval each, and never more than the hour has.
 */
export function rollupOf(rows: ResultColumns, booked: HourTimes, intervalMs: number): Rollup {
  const rollup: Rollup = { ...emptyRollup(), booked, times: [...booked] };
  const bySource: { region: RegionRollup; buckets: Map<number, number> }[] = [];
  const buckets = new Map<string, Map<number, number>>();
  for (let at = 0; at < rows.length; at += 1) {
    const source = rows.source[at] as number;
    const flags = rows.flags[at] as number;
    const name = rows.sources[source]?.region ?? '';
    const known = (bySource[source] ??= { region: (rollup.regions[name] ??= emptyRegion()), buckets: bucketsOf(buckets, name) });
    if ((flags & (OUTCOME | HAS_TIME)) === HAS_TIME) addTime(known.region, known.buckets, rows.time[at] as number);
    countColumn(known.region, rows, at);
    if (flags & LATE && outcomeOf(flags) !== 'missed') fillGap(rollup.times, columnOf(flags), intervalMs);
  }
  for (const [name, counts] of buckets) (rollup.regions[name] as RegionRollup).histogram = [...counts].sort((a, b) => a[0] - b[0]);
  for (const name in rollup.regions) addCounts(rollup, rollup.regions[name] as HourCounts);
  return rollup;
}

/** A rollup whose own results are past their retention, with some more counted in. */
export function addRows(rollup: Rollup, rows: ResultColumns, intervalMs: number): Rollup {
  const added = rollupOf(rows, rollup.times, intervalMs);
  return { ...mergeRollups([rollup, added]), booked: rollup.booked, times: added.times };
}

function bucketsOf(buckets: Map<string, Map<number, number>>, region: string): Map<number, number> {
  let known = buckets.get(region);
  if (!known) buckets.set(region, (known = new Map()));
  return known;
}

function addTime(region: RegionRollup, buckets: Map<number, number>, tenths: number): void {
  region.time_min = region.time_count === 0 ? tenths : Math.min(region.time_min, tenths);
  region.time_max = Math.max(region.time_max, tenths);
  const bucket = bucketOf(tenths / 10);
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
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

function columnOf(flags: number): 0 | 1 | 2 {
  if (outcomeOf(flags) === 'failure') return 2;
  return flags & DEGRADED ? 1 : 0;
}

/** Adds `lateMs` of results that came late to the times of their hour: no more than nobody had watched of it. */
export function fillGap(times: HourTimes, column: 0 | 1 | 2, lateMs: number): void {
  const free = HOUR_MS - times[0] - times[1] - times[2];
  times[column] += Math.max(0, Math.min(free, lateMs));
}

/** The sum of totals: a period of its hours and days. */
export function sumTotals(parts: Totals[]): Totals {
  const { regions: _none, ...sum } = emptyRollup();
  for (const part of parts) addTotals(sum, part);
  return sum;
}

function addTotals(sum: Totals, part: Totals): void {
  addCounts(sum, part);
  for (const column of [0, 1, 2] as const) {
    sum.booked[column] += part.booked[column];
    sum.times[column] += part.times[column];
  }
}

/** The sum of rollups: a day of its hours, a period of its days. */
export function mergeRollups(parts: Rollup[]): Rollup {
  const sum = emptyRollup();
  for (const part of parts) {
    addTotals(sum, part);
    for (const [name, region] of Object.entries(part.regions)) addRegion((sum.regions[name] ??= emptyRegion()), region);
  }
  return sum;
}

function addRegion(sum: RegionRollup, part: RegionRollup): void {
  if (part.histogram.length > 0) {
    sum.time_min = sum.histogram.length === 0 ? part.time_min : Math.min(sum.time_min, part.time_min);
    sum.time_max = Math.max(sum.time_max, part.time_max);
  }
  addCounts(sum, part);
  sum.histogram = mergeHistograms(sum.histogram, part.histogram);
}

function mergeHistograms(one: Histogram, other: Histogram): Histogram {
  if (one.length === 0) return other;
  const counts = new Map(one);
  for (const [bucket, count] of other) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  return [...counts].sort((a, b) => a[0] - b[0]);
}

/** The response time, ms, that a share of all (0 to 1) do not exceed, to within 5 %; null without any. */
export function percentileOf(region: RegionRollup, share: number): number | null {
  const count = region.histogram.reduce((sum, [, of]) => sum + of, 0);
  const rank = Math.max(1, Math.ceil(count * share));
  let seen = 0;
  for (const [bucket, of] of region.histogram) {
    seen += of;
    if (seen >= rank) return Math.min(Math.max(bucketTop(bucket), region.time_min / 10), region.time_max / 10);
  }
  return null;
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
