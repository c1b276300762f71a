import type { Clock } from '../../../../shared/time.ts';
import { HOUR_MS, hourOf } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import { meanTimeOf, steps, upOf, monitoredOf, type Totals } from '../../hours/rollup.ts';
import type { MonitorLive, UnwrittenMonitor } from './unwritten-monitor.ts';
import type { UnwrittenReader } from './unwritten-reader.ts';
import { unwrittenTotals, type UnwrittenRowsReader } from './unwritten-totals.ts';
import type { MonitoredTime } from '../daily-uptimes.ts';
import { ReadingCache } from '../written/reading-cache.ts';
import type { TotalsReader } from '../written/written-totals.ts';

/** Number of hours, including the current one. */
export const RECENT_HOURS = 24;
/** Limit of cached monitors, about 1.2 kB each. */
const MAX_CACHED_MONITORS = 10_000;
/** Rollups removed by retention may still count for this long. */
const CACHE_TTL_MS = 300_000;
/** Monitors per query. */
const BATCH_SIZE = 100;
/** Numbers per hour: its journal entry plus one, ms up, ms monitored, sum and number of response times. */
const FIELDS = 5;
const NO_HOURS = new Float64Array(RECENT_HOURS * FIELDS);

/** A clock hour of a monitor. */
export interface RecentHour extends MonitoredTime {
  /** Mean response time of successful checks, ms to a tenth; null without any. */
  response_time_ms: number | null;
}

export interface RecentMonitor {
  live: MonitorLive;
  /** Oldest first; the last one is not complete. */
  hours: RecentHour[];
}

export interface RecentHoursDeps {
  clock: Clock;
  rollups: Pick<TotalsReader, 'hourTotals'>;
  unwritten: Pick<UnwrittenReader, 'read'>;
  readUnwrittenRows: UnwrittenRowsReader;
}

interface CachedHours {
  first: number;
  version: string;
  hours: Float64Array;
}

/**
 * Monitors' status in each of the last 24 hours: from rollups, cached until a monitor's owner writes again,
 * and from the owners' unwritten results.
 */
export class RecentHours {
  readonly #deps: RecentHoursDeps;
  readonly #cache = new ReadingCache<CachedHours>(
    { maxEntries: MAX_CACHED_MONITORS, ttlMs: CACHE_TTL_MS, whenFull: 'keep valid entries' },
  );

  constructor(deps: RecentHoursDeps) {
    this.#deps = deps;
  }

  /**
   * The hours up to that of `now` (Unix ms). Leaves out unknown monitors.
   * @throws AppError SERVICE_UNAVAILABLE if an owner does not respond.
   */
  async of(monitorIds: string[], now: number): Promise<Map<string, RecentMonitor>> {
    const { unwritten, readUnwrittenRows } = this.#deps;
    const from = hourOf(now) - (RECENT_HOURS - 1) * HOUR_MS;
    const { monitors } = await unwritten.read(monitorIds, 0);
    const written = await this.#written(monitors, from);
    const found = new Map<string, RecentMonitor>();
    for (const [id, monitor] of monitors) {
      const hours = (written.get(id) ?? NO_HOURS).slice();
      const placeOf = (hour: number) => ((hour - from) / HOUR_MS) * FIELDS;
      const positionOf = (hour: number) => positionIn(hours, placeOf(hour));
      const parts = await unwrittenTotals(monitor, { from, positionOf }, readUnwrittenRows);
      for (const { hour, totals } of parts) add(hours, placeOf(hour), totals);
      found.set(id, { live: monitor.live, hours: hoursIn(hours) });
    }
    return found;
  }

  async #written(monitors: ReadonlyMap<string, UnwrittenMonitor>, first: number) {
    const readAt = this.#deps.clock.monotonic();
    const found = new Map<string, Float64Array>();
    for (const [id, { written: version }] of monitors) {
      const cached = this.#cache.get(id, readAt);
      if (cached?.first === first && cached.version === version) found.set(id, cached.hours);
    }
    const missing = [...monitors.keys()].filter((id) => !found.has(id));
    for (let at = 0; at < missing.length; at += BATCH_SIZE) {
      for (const [id, hours] of await this.#read(missing.slice(at, at + BATCH_SIZE), first)) {
        found.set(id, hours);
        const version = monitors.get(id)?.written;
        if (version !== undefined) this.#cache.set(id, { first, version, hours }, readAt);
      }
    }
    return found;
  }

  async #read(ids: string[], first: number): Promise<Map<string, Float64Array>> {
    const hours = steps(first, first + RECENT_HOURS * HOUR_MS, HOUR_MS);
    const found = new Map(ids.map((id) => [id, new Float64Array(RECENT_HOURS * FIELDS)]));
    const keys = ids.flatMap((id) => hours.map((hour) => ({ monitor_id: id, hour })));
    for (const { monitor_id: id, hour, position, totals } of await this.#deps.rollups.hourTotals(keys)) {
      const of = found.get(id);
      const place = ((hour - first) / HOUR_MS) * FIELDS;
      if (of === undefined) continue;
      of[place] = position + 1;
      add(of, place, totals);
    }
    return found;
  }
}

function positionIn(hours: Float64Array, place: number): number | undefined {
  const next = hours[place] ?? 0;
  return next === 0 ? undefined : next - 1;
}

function add(hours: Float64Array, place: number, { times, time_sum, time_count }: Totals): void {
  const more = [upOf(times), monitoredOf(times), time_sum, time_count];
  for (const [index, value] of more.entries()) (hours[place + 1 + index] as number) += value;
}

function hoursIn(hours: Float64Array): RecentHour[] {
  return Array.from({ length: RECENT_HOURS }, (_, hour) => {
    const numbers = hours.subarray(hour * FIELDS, (hour + 1) * FIELDS);
    const [, up = 0, monitored = 0, time_sum = 0, time_count = 0] = numbers;
    return { up, monitored, response_time_ms: meanTimeOf({ time_sum, time_count }) };
  });
}
