import type { Clock } from '../../../shared/time.ts';
import { DAY_MS, HOUR_MS, hourOf } from '../../verdicts/booking-rules.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import type { HourKey, HourResults } from '../hours/hour-record.ts';
import type { OpenMonitor } from './open-monitor.ts';
import { newestOf, type OpenReader } from './open-reader.ts';
import type { MonitorPeriods, MonitorStatistics, PeriodStats, RecentResult, StatisticsReader } from './periods.ts';
import { emptyRollup, meanTimeOf, rollupKey, steps, sumTotals, uptimeOf, type Rollup, type Totals } from '../hours/rollup.ts';
import { WrittenTotals, type TotalsReader, type Written } from './written-totals.ts';

/** Read access to what is written; by HourStore. */
export interface RollupReader extends TotalsReader {
  hours(keys: HourKey[]): Promise<(HourKey & { position: number; rollup: Rollup })[]>;
  days(keys: { monitor_id: string; day: number }[]): Promise<{ monitor_id: string; day: number; rollup: Rollup }[]>;
  results(keys: HourKey[]): Promise<HourResults[]>;
}

/** How far behind the latest result the newest ones are looked for, one after the other: the last is longer than a day. */
const HOURS_BACK = [1, 6, 25];

export interface StatisticsDeps {
  clock: Clock;
  rollups: RollupReader;
  open: Pick<OpenReader, 'open'>;
  /** Monitors of a project that were checked last, of every shard, in no particular order; never heartbeats. */
  latest(projectId: string): Promise<{ monitor_id: string; at: number }[]>;
}

/** Statistics from rollups of days and hours, and from the owners for what is not in them yet. */
export class Statistics implements StatisticsReader {
  readonly #clock: Clock;
  readonly #rollups: RollupReader;
  readonly #open: StatisticsDeps['open'];
  readonly #latest: StatisticsDeps['latest'];
  readonly #written: WrittenTotals;
  /** Beside it, so that thousands of monitors of a group do not displace what lists show. */
  readonly #writtenOfMany: WrittenTotals;

  constructor(deps: StatisticsDeps) {
    this.#clock = deps.clock;
    this.#rollups = deps.rollups;
    this.#open = deps.open;
    this.#latest = deps.latest;
    this.#written = new WrittenTotals(deps.rollups, deps.clock, 'drop the oldest');
    this.#writtenOfMany = new WrittenTotals(deps.rollups, deps.clock, 'keep what is good');
  }

  async period(monitorId: string, days: number): Promise<MonitorStatistics | null> {
    return (await this.#list([monitorId], this.#daysBack(days))).get(monitorId) ?? null;
  }

  list30d(monitorIds: string[]): Promise<Map<string, MonitorStatistics>> {
    return this.#list(monitorIds, this.#daysBack(30));
  }

  async periods(monitorIds: string[], hours: readonly number[]): Promise<Map<string, MonitorPeriods>> {
    const now = this.#clock.now();
    const { monitors } = await this.#open.open(monitorIds, 0);
    const known = new Map([...monitors].map(([id, { live }]): [string, MonitorPeriods] => [id, { live, periods: [] }]));
    for (const back of hours) {
      for (const [id, stats] of await this.#over(this.#writtenOfMany, monitors, hourOf(now - back * HOUR_MS))) known.get(id)?.periods.push(stats);
    }
    return known;
  }

  async recent(projectId: string, limit: number): Promise<RecentResult[]> {
    const since = this.#clock.now() - DAY_MS;
    const latest = (await this.#latest(projectId)).filter(({ at }) => at >= since);
    // The newest results over all are among those of the monitors that were checked last.
    const ids = latest.sort((a, b) => b.at - a.at).slice(0, limit).map(({ monitor_id: id }) => id);
    const { recent } = await this.#open.open(ids, limit);
    const fresh = recent.filter((result) => result.checked_at >= since);
    if (fresh.length >= limit) return fresh;
    const newest = latest[0]?.at ?? since;
    // What is older than all that a shorter look has found need not be read.
    for (const hours of HOURS_BACK) {
      const from = Math.max(since, hourOf(newest) - hours * HOUR_MS);
      const stored = await this.#storedSince(ids, from);
      const found = [...fresh.filter((result) => result.checked_at >= from), ...stored];
      if (found.length >= limit) return newestOf(found, limit);
      if (from === since) return newestOf([...fresh, ...stored], limit);
    }
    return newestOf(fresh, limit);
  }

  async #storedSince(monitorIds: string[], since: number): Promise<RecentResult[]> {
    const hours = steps(hourOf(since), this.#clock.now() + HOUR_MS, HOUR_MS);
    const found = await this.#rollups.results(monitorIds.flatMap((id) => hours.map((hour) => ({ monitor_id: id, hour }))));
    return found.flatMap(({ monitor_id, rows }) => rows.filter((row) => row.outcome !== 'missed' && row.started_at >= since).map((row) => ({
      monitor_id, success: row.outcome === 'success', response_time_ms: row.response_time_ms, status_code: row.status_code, checked_at: row.started_at,
    })));
  }

  #daysBack(days: number): number {
    return hourOf(this.#clock.now() - days * DAY_MS) + HOUR_MS;
  }

  async #list(monitorIds: string[], from: number): Promise<Map<string, MonitorStatistics>> {
    const { monitors } = await this.#open.open(monitorIds, 0);
    const stats = await this.#over(this.#written, monitors, from);
    return new Map([...monitors].map(([id, { live }]) => [id, { live, stats: stats.get(id) ?? null }]));
  }

  /** Null for a monitor without any result. */
  async #over(totals: WrittenTotals, monitors: Map<string, OpenMonitor>, from: number): Promise<Map<string, PeriodStats | null>> {
    const written = await totals.of(new Map([...monitors].map(([id, { written: version }]) => [id, version ?? null])), from, this.#clock.now());
    const inDays = await this.#positionsInDays(monitors, written, from);
    return new Map([...monitors].map(([id, monitor]) => {
      const of = written.get(id);
      const positionOf = (hour: number) => of?.positions.get(hour) ?? inDays.get(rollupKey(id, hour));
      return [id, monitor.live.last_check_at === null ? null : statsOf(monitor, of?.totals, positionOf, from)];
    }));
  }

  /** An owner that took over may hold once more what a day's rollup has: of its hours in such days, the entry that was written last. */
  async #positionsInDays(monitors: Map<string, OpenMonitor>, written: Map<string, Written>, from: number): Promise<Map<string, number>> {
    const keys = [...monitors].flatMap(([id, { hours }]) => {
      const days = written.get(id)?.days;
      return hours.filter(({ hour }) => hour >= from && days?.has(hour - (hour % DAY_MS))).map(({ hour }) => ({ monitor_id: id, hour }));
    });
    if (keys.length === 0) return new Map();
    return new Map((await this.#rollups.hourTotals(keys)).map(({ monitor_id: id, hour, position }) => [rollupKey(id, hour), position]));
  }
}

function statsOf(monitor: OpenMonitor, written: Totals | undefined, positionOf: (hour: number) => number | undefined, from: number): PeriodStats {
  const parts: Totals[] = written ? [written] : [];
  for (const open of monitor.hours) {
    if (open.hour < from) continue;
    const position = positionOf(open.hour);
    const isCounted = position !== undefined && open.first_entry !== null && open.first_entry <= position;
    const times: HourTimes = position !== undefined || open.times === null ? [0, 0, 0] : open.times;
    parts.push({ ...emptyRollup(), ...(isCounted ? {} : open.counts), times });
  }
  const sum = sumTotals(parts);
  return {
    uptime_percentage: uptimeOf(sum.times), avg_response_time: meanTimeOf(sum), total_checks: sum.total, failed_checks: sum.failed,
    last_check_at: monitor.live.last_check_at, last_success_at: monitor.live.last_success_at, last_failure_at: monitor.live.last_failure_at,
  };
}
