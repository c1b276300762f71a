import type { Clock } from '../../../../shared/time.ts';
import { DAY_MS, HOUR_MS } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import { rollupKey, steps, sumTotals, type Totals } from '../../hours/rollup.ts';
import type { HourStore } from '../../hours/hour-store.ts';
import { ReadingCache, type WhenFull } from './reading-cache.ts';

/** Limit of cached totals, one per monitor and period, about 2 kB each. */
const MAX_CACHED_TOTALS = 5000;
/** Rollups removed by retention may still count for this long. */
const CACHE_TTL_MS = 300_000;

/** A monitor's rollups over a period. */
export interface Written {
  totals: Totals;
  /** The journal entry of each hour that is counted separately. */
  positions: ReadonlyMap<number, number>;
  /** Days that are counted as a whole. */
  days: ReadonlySet<number>;
}

export type TotalsReader = Pick<HourStore, 'hourTotals' | 'dayTotals'>;

interface CachedTotals {
  from: number;
  version: string;
  written: Written;
}

/**
 * Totals of monitors' rollups from an hour until now, cached until a monitor's owner writes again. A page of
 * fifty monitors needs about 3,500 rollups, but each hour only one per monitor is new.
 */
export class WrittenTotals {
  readonly #clock: Clock;
  readonly #rollups: TotalsReader;
  readonly #cache: ReadingCache<CachedTotals>;

  constructor(rollups: TotalsReader, clock: Clock, whenFull: WhenFull) {
    this.#rollups = rollups;
    this.#clock = clock;
    this.#cache = new ReadingCache({ maxEntries: MAX_CACHED_TOTALS, ttlMs: CACHE_TTL_MS, whenFull });
  }

  /** @param monitors ids with the owner's version of the rollups */
  async of(
    monitors: ReadonlyMap<string, string>, from: number, now: number,
  ): Promise<Map<string, Written>> {
    const period = periodOf(from, now);
    const readAt = this.#clock.monotonic();
    const written = new Map<string, Written>();
    for (const [id, version] of monitors) {
      const cached = this.#cache.get(id + period, readAt);
      if (cached?.from === from && cached.version === version) written.set(id, cached.written);
    }
    const missing = [...monitors.keys()].filter((id) => !written.has(id));
    if (missing.length === 0) return written;
    for (const [id, found] of await this.#read(missing, from, now)) {
      written.set(id, found);
      const version = monitors.get(id);
      if (version !== undefined) this.#cache.set(id + period, { from, version, written: found }, readAt);
    }
    return written;
  }

  /**
   * Reads whole days, the hours of the first partial day, and hours of the last two days without a daily
   * rollup.
   */
  async #read(monitorIds: string[], from: number, now: number): Promise<Map<string, Written>> {
    const firstDay = Math.ceil(from / DAY_MS) * DAY_MS;
    const today = now - (now % DAY_MS);
    const days = steps(firstDay, today, DAY_MS);
    const dayKeys = monitorIds.flatMap((id) => days.map((day) => ({ monitor_id: id, day })));
    const found = await this.#rollups.dayTotals(dayKeys);
    const rolledDays = new Set(found.map((day) => rollupKey(day.monitor_id, day.day)));
    const hourKeys = monitorIds.flatMap((id) => {
      const isNotRolledUp = (day: number): boolean => day >= firstDay && !rolledDays.has(rollupKey(id, day));
      const recent = [today - DAY_MS, today].filter(isNotRolledUp)
        .flatMap((day) => steps(day, Math.min(day + DAY_MS, now + 1), HOUR_MS));
      return [...steps(from, firstDay, HOUR_MS), ...recent].map((hour) => ({ monitor_id: id, hour }));
    });
    const parts = new Map(monitorIds.map((id) =>
      [id, { totals: [] as Totals[], positions: new Map<number, number>(), days: new Set<number>() }]));
    for (const { monitor_id: id, day, totals } of found) {
      const part = parts.get(id);
      part?.totals.push(totals);
      part?.days.add(day);
    }
    for (const { monitor_id: id, hour, position, totals } of await this.#rollups.hourTotals(hourKeys)) {
      const part = parts.get(id);
      part?.totals.push(totals);
      part?.positions.set(hour, position);
    }
    return new Map(
      [...parts].map(([id, { totals, ...rest }]) => [id, { totals: sumTotals(totals), ...rest }]),
    );
  }
}

/** The key suffix of a period, rounded to the hour so that it changes once per hour. */
function periodOf(from: number, now: number): string {
  return `:${Math.floor((now - from) / HOUR_MS)}`;
}
