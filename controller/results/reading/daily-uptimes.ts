import type { Clock } from '../../../shared/time.ts';
import { DAY_MS, HOUR_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import { rollupKey, steps, upOf, monitoredOf } from '../hours/rollup.ts';
import type { UnwrittenMonitor } from './recent/unwritten-monitor.ts';
import type { UnwrittenReader } from './recent/unwritten-reader.ts';
import { ReadingCache, type WhenFull } from './written/reading-cache.ts';
import type { TotalsReader } from './written/written-totals.ts';

/** Limit of cached monitors, about 1.5 kB each. */
const MAX_CACHED_MONITORS = 5000;
/** Late results may still change past days. */
const CACHE_TTL_MS = 600_000;
/** Monitors per query. */
const BATCH_SIZE = 50;
/** Numbers per day: ms up and ms monitored, and both excluding maintenance. */
const FIELDS = 4;
const NO_TIMES: HourTimes = [0, 0, 0];

/** How long a monitor was monitored, and how much of that it was up or degraded, ms. */
export interface MonitoredTime {
  up: number;
  monitored: number;
}

interface CachedDays {
  today: number;
  /** FIELDS per day, oldest day first. */
  days: Uint32Array;
}

export interface DailyUptimesDeps {
  clock: Clock;
  rollups: TotalsReader;
  unwritten: Pick<UnwrittenReader, 'read'>;
}

/**
 * Monitors' status on each of the last days (UTC) before today, cached for ten minutes: from rollups and the
 * owners' unwritten hours. Until about 00:52, the latter include the last hour of yesterday.
 */
export class DailyUptimes {
  readonly #deps: DailyUptimesDeps;
  readonly #cache: ReadingCache<CachedDays>;

  constructor(deps: DailyUptimesDeps, whenFull: WhenFull) {
    this.#deps = deps;
    this.#cache = new ReadingCache({ maxEntries: MAX_CACHED_MONITORS, ttlMs: CACHE_TTL_MS, whenFull });
  }

  /**
   * The uptime of each day in percent, oldest first; null without monitored time.
   * @param count number of days, always the same
   * @param includesMaintenance whether maintenance time counts
   * @throws AppError SERVICE_UNAVAILABLE if an owner does not respond.
   */
  async of(
    monitorIds: readonly string[], count: number, includesMaintenance: boolean,
  ): Promise<Map<string, (number | null)[]>> {
    const found = await this.#days(monitorIds, count, this.#deps.clock.now());
    return new Map([...found].map(([id, days]) => [id, percentsOf(days, includesMaintenance)]));
  }

  /** The times of each day before `now` (Unix ms), oldest first. Other parameters as for `of`. */
  async times(
    monitorIds: readonly string[], count: number, includesMaintenance: boolean, now: number,
  ): Promise<Map<string, MonitoredTime[]>> {
    const first = includesMaintenance ? 0 : 2;
    const timeOf = (days: Uint32Array, day: number): MonitoredTime =>
      ({ up: days[day * FIELDS + first] as number, monitored: days[day * FIELDS + first + 1] as number });
    return new Map([...await this.#days(monitorIds, count, now)].map(([id, days]) =>
      [id, Array.from({ length: count }, (_, day) => timeOf(days, day))]));
  }

  async #days(
    monitorIds: readonly string[], count: number, now: number,
  ): Promise<Map<string, Uint32Array>> {
    const today = now - (now % DAY_MS);
    const readAt = this.#deps.clock.monotonic();
    const found = new Map<string, Uint32Array>();
    for (const id of monitorIds) {
      const cached = this.#cache.get(id, readAt);
      if (cached?.today === today && cached.days.length === FIELDS * count) found.set(id, cached.days);
    }
    const missing = monitorIds.filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    // Before the rollups, so that hours written meanwhile are in those.
    const { monitors } = await this.#deps.unwritten.read(missing, 0);
    for (let at = 0; at < missing.length; at += BATCH_SIZE) {
      const batch = missing.slice(at, at + BATCH_SIZE);
      for (const [id, days] of await this.#read(batch, monitors, today, count)) {
        found.set(id, days);
        this.#cache.set(id, { today, days }, readAt);
      }
    }
    return found;
  }

  async #read(
    ids: string[], monitors: ReadonlyMap<string, UnwrittenMonitor>, today: number, count: number,
  ): Promise<Map<string, Uint32Array>> {
    const { rollups } = this.#deps;
    const [first, yesterday] = [today - count * DAY_MS, today - DAY_MS];
    const found = new Map(ids.map((id) => [id, new Uint32Array(FIELDS * count)]));
    const add = (id: string, at: number, times: HourTimes, maintenance: HourTimes = NO_TIMES) => {
      const place = Math.floor((at - first) / DAY_MS) * FIELDS;
      addTo(found.get(id) ?? new Uint32Array(), place, times, maintenance);
    };
    const days = steps(first, today, DAY_MS);
    const hasRollup = new Set<string>();
    const dayKeys = ids.flatMap((id) => days.map((day) => ({ monitor_id: id, day })));
    for (const { monitor_id: id, day, totals } of await rollups.dayTotals(dayKeys)) {
      add(id, day, totals.times, totals.maintenance.times);
      if (day === yesterday) hasRollup.add(id);
    }
    const unwrittenOf = (id: string) =>
      (monitors.get(id)?.hours ?? []).filter(({ hour }) => hour >= first && hour < today);
    const hourKeys = ids.flatMap((id) => {
      const needed = hasRollup.has(id) ? [] : steps(yesterday, today, HOUR_MS);
      const hours = new Set([...needed, ...unwrittenOf(id).map(({ hour }) => hour)]);
      return [...hours].map((hour) => ({ monitor_id: id, hour }));
    });
    const written = hourKeys.length === 0 ? [] : await rollups.hourTotals(hourKeys);
    const isWritten = new Set<string>();
    for (const { monitor_id: id, hour, totals } of written) {
      isWritten.add(rollupKey(id, hour));
      if (hour >= yesterday && !hasRollup.has(id)) add(id, hour, totals.times, totals.maintenance.times);
    }
    for (const id of ids) {
      for (const { hour, times, maintenance } of unwrittenOf(id)) {
        if (times !== null && !isWritten.has(rollupKey(id, hour))) add(id, hour, times, maintenance);
      }
    }
    return found;
  }
}

function addTo(days: Uint32Array, place: number, times: HourTimes, maintenance: HourTimes): void {
  const [up, monitored] = [upOf(times), monitoredOf(times)];
  const more = [up, monitored, up - upOf(maintenance), monitored - monitoredOf(maintenance)];
  for (let field = 0; field < FIELDS; field += 1) (days[place + field] as number) += more[field] as number;
}

/** A loop without allocations: a page with hundreds of monitors needs thousands of days every second. */
function percentsOf(days: Uint32Array, includesMaintenance: boolean): (number | null)[] {
  const percents: (number | null)[] = [];
  for (let at = includesMaintenance ? 0 : 2; at < days.length; at += FIELDS) {
    const [up, monitored] = [days[at] as number, days[at + 1] as number];
    percents.push(monitored === 0 ? null : (up / monitored) * 100);
  }
  return percents;
}

/** Null without monitored time. */
export function percentOf({ up, monitored }: MonitoredTime): number | null {
  return monitored === 0 ? null : (up / monitored) * 100;
}
