import type { Clock } from '../../../../shared/time.ts';
import { DAY_MS, HOUR_MS } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import { rollupKey, steps, sumTotals, upOf, monitoredOf, type Totals } from '../../hours/rollup.ts';
import { ReadingCache, type WhenFull } from './reading-cache.ts';
import type { TotalsReader } from './written-totals.ts';

/** Limit of cached monitors, about 1.5 kB each. */
const MAX_CACHED_MONITORS = 5000;
/** Late results may still change past days. */
const CACHE_TTL_MS = 600_000;
/** Monitors per query. */
const BATCH_SIZE = 50;
/** Numbers per day: ms up and ms monitored, and both excluding maintenance. */
const FIELDS = 4;

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

/** Monitors' status on each of the last days (UTC) before today, cached for ten minutes. */
export class DailyUptimes {
  readonly #clock: Clock;
  readonly #rollups: TotalsReader;
  readonly #cache: ReadingCache<CachedDays>;

  constructor(rollups: TotalsReader, clock: Clock, whenFull: WhenFull) {
    this.#clock = clock;
    this.#rollups = rollups;
    this.#cache = new ReadingCache({ maxEntries: MAX_CACHED_MONITORS, ttlMs: CACHE_TTL_MS, whenFull });
  }

  /**
   * The uptime of each day in percent, oldest first; null without monitored time.
   * @param count number of days, always the same
   * @param includesMaintenance whether maintenance time counts
   */
  async of(
    monitorIds: readonly string[], count: number, includesMaintenance: boolean,
  ): Promise<Map<string, (number | null)[]>> {
    const found = await this.#days(monitorIds, count, this.#clock.now());
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
    const readAt = this.#clock.monotonic();
    const found = new Map<string, Uint32Array>();
    for (const id of monitorIds) {
      const cached = this.#cache.get(id, readAt);
      if (cached?.today === today && cached.days.length === FIELDS * count) found.set(id, cached.days);
    }
    const missing = monitorIds.filter((id) => !found.has(id));
    for (let at = 0; at < missing.length; at += BATCH_SIZE) {
      for (const [id, days] of await this.#read(missing.slice(at, at + BATCH_SIZE), today, count)) {
        found.set(id, days);
        this.#cache.set(id, { today, days }, readAt);
      }
    }
    return found;
  }

  async #read(ids: string[], today: number, count: number): Promise<Map<string, Uint32Array>> {
    const first = today - count * DAY_MS;
    const days = steps(first, today, DAY_MS);
    const found = new Map(ids.map((id) => [id, new Uint32Array(FIELDS * count)]));
    const written = await this.#rollups.dayTotals(
      ids.flatMap((id) => days.map((day) => ({ monitor_id: id, day }))),
    );
    for (const { monitor_id: id, day, totals } of written) {
      found.get(id)?.set(fieldsOf(totals), ((day - first) / DAY_MS) * FIELDS);
    }
    const rolledDays = new Set(written.map(({ monitor_id: id, day }) => rollupKey(id, day)));
    for (const [id, totals] of await this.#yesterday(ids, today - DAY_MS, rolledDays)) {
      found.get(id)?.set(fieldsOf(totals), (count - 1) * FIELDS);
    }
    return found;
  }

  /** Yesterday's totals from its hours, for monitors without a daily rollup yet. */
  async #yesterday(
    ids: string[], day: number, rolledDays: ReadonlySet<string>,
  ): Promise<Map<string, Totals>> {
    const missing = ids.filter((id) => !rolledDays.has(rollupKey(id, day)));
    const hours = steps(day, day + DAY_MS, HOUR_MS);
    const keys = missing.flatMap((id) => hours.map((hour) => ({ monitor_id: id, hour })));
    const parts = new Map<string, Totals[]>();
    for (const { monitor_id: id, totals } of keys.length === 0 ? [] : await this.#rollups.hourTotals(keys)) {
      parts.set(id, [...(parts.get(id) ?? []), totals]);
    }
    return new Map([...parts].map(([id, hoursOf]) => [id, sumTotals(hoursOf)]));
  }
}

function fieldsOf({ times, maintenance }: Totals): number[] {
  const [up, monitored] = [upOf(times), monitoredOf(times)];
  return [up, monitored, up - upOf(maintenance.times), monitored - monitoredOf(maintenance.times)];
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
