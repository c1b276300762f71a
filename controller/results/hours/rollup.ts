import { HOUR_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import type { ResultColumns } from './result-columns.ts';
import {
  countResult, DEGRADED, HAS_TIME, isFilling, noCounts, outcomeOf, timesColumn, type Counts,
} from './row-layout.ts';

/** The sums of a rollup over all regions. */
export interface Totals extends Counts {
  /** Monitored ms up, degraded and down, as decided at the time. */
  accounted: HourTimes;
  /** The same, with late results filled in. */
  times: HourTimes;
  /** The maintenance part of both. */
  maintenance: { accounted: HourTimes; times: HourTimes };
}

/** The maintenance of an hour: its accounted times, and whether a time (Unix ms) is in maintenance. */
export interface HourMaintenance {
  accounted: HourTimes;
  isAt(at: number): boolean;
}

/** Statistics of one monitor over an hour or a day. Rollups of adjacent periods can be summed. */
export interface Rollup extends Totals {
  regions: Record<string, RegionRollup>;
}

/** Ordered by bucket. Bucket b holds times up to 1.05^b tenths of a ms. */
export type Histogram = [bucket: number, count: number][];

/** One region's share. Only successful checks have response times. The oldest rollups have none by region. */
export interface RegionRollup extends Counts {
  /** Shortest and longest response time, tenths of a ms; 0 without any. */
  time_min: number;
  time_max: number;
  histogram: Histogram;
}

/** The starts of the hours or days from `from` (itself a start) up to, but excluding, `to`. */
export function steps(from: number, to: number, unitMs: number): number[] {
  const length = Math.max(0, Math.ceil((to - from) / unitMs));
  return Array.from({ length }, (_, index) => from + index * unitMs);
}

/** A monitor's hour or day as a map key; its start is in Unix ms. */
export function rollupKey(monitorId: string, start: number): string {
  return `${monitorId}:${start}`;
}

const BUCKET_BASE = Math.log(1.05);

/** The histogram bucket of a response time (ms). */
export function bucketOf(ms: number): number {
  return Math.max(0, Math.ceil(Math.log(Math.max(1, ms * 10)) / BUCKET_BASE));
}

/** Upper bound of a bucket, ms. */
export function bucketTop(bucket: number): number {
  return Math.round(Math.exp(bucket * BUCKET_BASE)) / 10;
}

const NO_MAINTENANCE: HourMaintenance = { accounted: [0, 0, 0], isAt: () => false };

function noTotals(): Totals {
  const maintenance: Totals['maintenance'] = { accounted: [0, 0, 0], times: [0, 0, 0] };
  return { accounted: [0, 0, 0], times: [0, 0, 0], maintenance, ...noCounts() };
}

export function emptyRollup(): Rollup {
  return { regions: {}, ...noTotals() };
}

function emptyRegion(): RegionRollup {
  return { time_min: 0, time_max: 0, histogram: [], ...noCounts() };
}

/**
 * The rollup of an hour from all its results and the times accounted during it. Late scheduled results fill
 * unmonitored time, as in `fillGap`.
 */
export function rollupOf(
  rows: ResultColumns, accounted: HourTimes, intervalMs: number, maintained: HourMaintenance = NO_MAINTENANCE,
): Rollup {
  const maintenance: Totals['maintenance'] = { accounted: [...maintained.accounted], times: [...maintained.accounted] };
  const rollup: Rollup = { ...emptyRollup(), accounted, times: [...accounted], maintenance };
  const late: LateCounts = { all: [0, 0, 0], maintenance: [0, 0, 0] };
  const bySource: { region: RegionRollup; buckets: Map<number, number> }[] = [];
  const byRegion = new Map<string, (typeof bySource)[number]>();
  const tallyOf = (source: number): (typeof bySource)[number] => {
    const name = rows.sources[source]?.region ?? '';
    const tally = byRegion.get(name) ?? { region: emptyRegion(), buckets: new Map<number, number>() };
    byRegion.set(name, tally);
    return tally;
  };
  for (let at = 0; at < rows.length; at += 1) {
    const source = rows.source[at] as number;
    const flags = rows.flags[at] as number;
    const outcome = outcomeOf(flags);
    const time = flags & HAS_TIME ? (rows.time[at] as number) : null;
    const { region, buckets } = (bySource[source] ??= tallyOf(source));
    if (outcome === 'success' && time !== null) addTime(region, buckets, time);
    countResult(region, outcome, time, outcome === 'missed' ? (rows.rare.get(at)?.missed?.count ?? 1) : 0);
    if (isFilling(flags)) {
      const column = timesColumn(outcome, (flags & DEGRADED) !== 0);
      late.all[column] += 1;
      if (maintained.isAt(rows.started[at] as number)) late.maintenance[column] += 1;
    }
  }
  fillGap(rollup, late, intervalMs);
  for (const [name, { region, buckets }] of byRegion) {
    region.histogram = [...buckets].sort((a, b) => a[0] - b[0]);
    rollup.regions[name] = region;
    addCounts(rollup, region);
  }
  return rollup;
}

/** Adds results to a rollup whose own results have expired. */
export function addRows(
  rollup: Rollup, rows: ResultColumns, intervalMs: number, isAt: HourMaintenance['isAt'] = () => false,
): Rollup {
  const maintained = { accounted: rollup.maintenance.times, isAt };
  const added = rollupOf(rows, rollup.times, intervalMs, maintained);
  const maintenance = { accounted: rollup.maintenance.accounted, times: added.maintenance.times };
  return { ...mergeRollups([rollup, added]), accounted: rollup.accounted, times: added.times, maintenance };
}

function addTime(region: RegionRollup, buckets: Map<number, number>, tenths: number): void {
  region.time_min = region.time_count === 0 ? tenths : Math.min(region.time_min, tenths);
  region.time_max = Math.max(region.time_max, tenths);
  const bucket = bucketOf(tenths / 10);
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
}

/** Late results of an hour by status, and those among them in maintenance. */
export interface LateCounts {
  all: HourTimes;
  maintenance: HourTimes;
}

/**
 * Adds an interval for each late result to the times of an hour. If they exceed the unmonitored time, for
 * example from several regions, they share it proportionally.
 */
export function fillGap(
  { times, maintenance }: Pick<Totals, 'times' | 'maintenance'>, late: LateCounts, intervalMs: number,
): void {
  const lateMs = (late.all[0] + late.all[1] + late.all[2]) * intervalMs;
  if (lateMs === 0) return;
  const freeMs = Math.max(0, HOUR_MS - times[0] - times[1] - times[2]);
  const share = Math.min(1, freeMs / lateMs);
  for (const column of [0, 1, 2] as const) {
    times[column] += Math.floor(late.all[column] * intervalMs * share);
    maintenance.times[column] += Math.floor(late.maintenance[column] * intervalMs * share);
  }
}

/** The sum of totals: a period's from those of its hours and days. */
export function sumTotals(parts: Totals[]): Totals {
  const sum = noTotals();
  for (const part of parts) addTotals(sum, part);
  return sum;
}

function addTotals(sum: Totals, part: Totals): void {
  addCounts(sum, part);
  for (const column of [0, 1, 2] as const) {
    sum.accounted[column] += part.accounted[column];
    sum.times[column] += part.times[column];
    sum.maintenance.accounted[column] += part.maintenance.accounted[column];
    sum.maintenance.times[column] += part.maintenance.times[column];
  }
}

/** The sum of rollups: a day's from those of its hours, a period's from those of its days. */
export function mergeRollups(parts: Rollup[]): Rollup {
  const sum = emptyRollup();
  for (const part of parts) {
    addTotals(sum, part);
    for (const [name, region] of Object.entries(part.regions)) {
      addRegion((sum.regions[name] ??= emptyRegion()), region);
    }
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

/** The response time (ms) that a share of checks (0 to 1) does not exceed, within 5 %; null without any. */
export function percentileOf({ histogram, time_min, time_max }: RegionRollup, share: number): number | null {
  const count = histogram.reduce((sum, [, of]) => sum + of, 0);
  const rank = Math.max(1, Math.ceil(count * share));
  let seen = 0;
  for (const [bucket, of] of histogram) {
    seen += of;
    if (seen >= rank) return Math.min(Math.max(bucketTop(bucket), time_min / 10), time_max / 10);
  }
  return null;
}

function addCounts(sum: Counts, part: Counts): void {
  sum.total += part.total;
  sum.failed += part.failed;
  sum.missed += part.missed;
  sum.time_sum += part.time_sum;
  sum.time_count += part.time_count;
}

/** The time that was up or degraded, ms. */
export function upOf([up, degraded]: HourTimes): number {
  return up + degraded;
}

/** The monitored time, ms. */
export function monitoredOf([up, degraded, down]: HourTimes): number {
  return up + degraded + down;
}

/** The share of monitored time that was up or degraded, percent; null without monitored time. */
export function uptimeOf(times: HourTimes): number | null {
  const monitored = monitoredOf(times);
  return monitored === 0 ? null : (upOf(times) / monitored) * 100;
}

/** Like `uptimeOf`, excluding maintenance. */
export function uptimeOutside({ times, maintenance }: Pick<Totals, 'times' | 'maintenance'>): number | null {
  const [up, degraded, down] = maintenance.times;
  return uptimeOf([times[0] - up, times[1] - degraded, times[2] - down]);
}

/** Mean response time of successful checks, ms to a tenth; null without any. */
export function meanTimeOf(counts: Pick<Counts, 'time_sum' | 'time_count'>): number | null {
  return counts.time_count === 0 ? null : Math.round(counts.time_sum / counts.time_count) / 10;
}
