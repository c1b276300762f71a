import type { Clock } from '../../../shared/time.ts';
import { DAY_MS, HOUR_MS, hourOf } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import type { HourKey } from '../hours/hour-record.ts';
import type { HourStore } from '../hours/hour-store.ts';
import type { UnwrittenMonitor } from './recent/unwritten-monitor.ts';
import { newestOf, type UnwrittenReader } from './recent/unwritten-reader.ts';
import { unwrittenTotals, type UnwrittenRowsReader } from './recent/unwritten-totals.ts';
import {
  viewRecent, type MonitorPeriods, type MonitorStatistics, type PeriodStats, type RecentResult,
} from './periods.ts';
import {
  meanTimeOf, rollupKey, steps, sumTotals, uptimeOf, uptimeOutside, type Totals,
} from '../hours/rollup.ts';
import { WrittenTotals, type TotalsReader, type Written } from './written/written-totals.ts';

/** Read access to written data. */
export type RollupReader = TotalsReader & Pick<HourStore, 'hours' | 'days' | 'results'>;

/** Hours before the latest check to search for recent results, tried in turn. The last covers over a day. */
const HOURS_BACK = [1, 6, 25];

export interface StatisticsDeps {
  clock: Clock;
  rollups: RollupReader;
  unwritten: Pick<UnwrittenReader, 'read'>;
  readUnwrittenRows: UnwrittenRowsReader;
  /** The project's most recently checked monitors, unordered and without heartbeats. */
  latest(projectId: string): Promise<{ monitor_id: string; at: number }[]>;
}

/** Statistics from daily and hourly rollups, plus the owners' unwritten data. */
export class Statistics {
  readonly #deps: StatisticsDeps;
  readonly #written: WrittenTotals;
  /** A separate cache, so that a group's thousands of monitors do not evict those of lists. */
  readonly #writtenOfMany: WrittenTotals;

  constructor(deps: StatisticsDeps) {
    this.#deps = deps;
    this.#written = new WrittenTotals(deps.rollups, deps.clock, 'evict the oldest');
    this.#writtenOfMany = new WrittenTotals(deps.rollups, deps.clock, 'keep valid entries');
  }

  /** Null if the monitor is unknown. */
  async period(monitorId: string, days: number): Promise<MonitorStatistics | null> {
    return (await this.#list([monitorId], this.#daysBack(days))).get(monitorId) ?? null;
  }

  /** 30 days, for lists. Leaves out unknown monitors. */
  list30d(monitorIds: string[]): Promise<Map<string, MonitorStatistics>> {
    return this.#list(monitorIds, this.#daysBack(30));
  }

  /** One period for each of `hours`, in clock hours. Leaves out unknown monitors. */
  async periods(monitorIds: string[], hours: readonly number[]): Promise<Map<string, MonitorPeriods>> {
    const now = this.#deps.clock.now();
    const { monitors } = await this.#deps.unwritten.read(monitorIds, 0);
    const found = new Map<string, MonitorPeriods>();
    for (const [id, { live }] of monitors) found.set(id, { live, periods: [] });
    // A page requests one day twice.
    const read = new Map<number, Map<string, PeriodStats | null>>();
    for (const back of hours) {
      const from = hourOf(now - back * HOUR_MS);
      const stats = read.get(from) ?? (await this.#over(this.#writtenOfMany, monitors, from));
      read.set(from, stats);
      for (const [id, period] of stats) found.get(id)?.periods.push(period);
    }
    return found;
  }

  /** The project's latest results of the last 24 hours, newest first, without heartbeats. */
  async recent(projectId: string, limit: number): Promise<RecentResult[]> {
    const since = this.#deps.clock.now() - DAY_MS;
    const latest = (await this.#deps.latest(projectId)).filter(({ at }) => at >= since);
    // The newest results are always among those of the most recently checked monitors.
    const ids = latest.sort((a, b) => b.at - a.at).slice(0, limit).map(({ monitor_id: id }) => id);
    const { recent } = await this.#deps.unwritten.read(ids, limit);
    const fresh = recent.filter((result) => result.checked_at >= since);
    if (fresh.length >= limit) return fresh;
    const newest = latest[0]?.at ?? since;
    // Results older than those already found need not be read.
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
    const hours = steps(hourOf(since), this.#deps.clock.now() + HOUR_MS, HOUR_MS);
    const keys = monitorIds.flatMap((id) => hours.map((hour) => ({ monitor_id: id, hour })));
    return (await this.#deps.rollups.results(keys)).flatMap(({ monitor_id: id, rows }) => rows
      .filter((row) => row.outcome !== 'missed' && row.started_at >= since)
      .map((row) => viewRecent(id, row)));
  }

  #daysBack(days: number): number {
    return hourOf(this.#deps.clock.now() - days * DAY_MS) + HOUR_MS;
  }

  async #list(monitorIds: string[], from: number): Promise<Map<string, MonitorStatistics>> {
    const { monitors } = await this.#deps.unwritten.read(monitorIds, 0);
    const stats = await this.#over(this.#written, monitors, from);
    return new Map([...monitors].map(([id, { live }]) => [id, { live, stats: stats.get(id) ?? null }]));
  }

  /** Null for a monitor without results. */
  async #over(
    totals: WrittenTotals, monitors: Map<string, UnwrittenMonitor>, from: number,
  ): Promise<Map<string, PeriodStats | null>> {
    const versions = new Map([...monitors].map(([id, { written: version }]) => [id, version]));
    const written = await totals.of(versions, from, this.#deps.clock.now());
    const inDays = await this.#positionsInDays(monitors, written, from);
    const stats = new Map<string, PeriodStats | null>();
    for (const [id, monitor] of monitors) {
      const of = written.get(id);
      const positionOf = (hour: number) => of?.positions.get(hour) ?? inDays.get(rollupKey(id, hour));
      const unwritten = await unwrittenTotals(monitor, { from, positionOf }, this.#deps.readUnwrittenRows);
      const parts = unwritten.map(({ totals: part }) => part);
      const isUnchecked = monitor.live.last_check_at === null;
      stats.set(id, isUnchecked ? null : statsOf(monitor, of ? [of.totals, ...parts] : parts));
    }
    return stats;
  }

  /**
   * The last written entry of open hours in those days. A new owner may still have results that their rollups
   * include.
   */
  async #positionsInDays(
    monitors: Map<string, UnwrittenMonitor>, written: Map<string, Written>, from: number,
  ): Promise<Map<string, number>> {
    const keys: HourKey[] = [];
    for (const [id, { hours }] of monitors) {
      const days = written.get(id)?.days;
      for (const { hour } of hours) {
        if (hour >= from && days?.has(hour - (hour % DAY_MS))) keys.push({ monitor_id: id, hour });
      }
    }
    if (keys.length === 0) return new Map();
    const found = await this.#deps.rollups.hourTotals(keys);
    return new Map(found.map(({ monitor_id: id, hour, position }) => [rollupKey(id, hour), position]));
  }
}

function statsOf({ live }: UnwrittenMonitor, parts: Totals[]): PeriodStats {
  const sum = sumTotals(parts);
  return {
    uptime_percentage: uptimeOf(sum.times), uptime_outside_maintenance: uptimeOutside(sum),
    avg_response_time: meanTimeOf(sum),
    total_checks: sum.total, failed_checks: sum.failed,
    last_check_at: live.last_check_at, last_success_at: live.last_success_at,
    last_failure_at: live.last_failure_at,
  };
}
