import type { Clock } from '../../../shared/time.ts';
import { HOUR_MS, hourOf } from '../../verdicts/booking-rules.ts';
import { meanTimeOf, steps, upOf, watchedOf, type Totals } from '../hours/rollup.ts';
import type { MonitorLive } from './live.ts';
import type { OpenMonitor } from './open-monitor.ts';
import type { OpenReader } from './open-reader.ts';
import { openTotals, type OpenRowsReader } from './open-totals.ts';
import type { WatchedTime } from './past-days.ts';
import { ReadingMemory } from './reading-memory.ts';
import type { TotalsReader } from './written-totals.ts';

/** How many hours back, with the present one. */
export const RECENT_HOURS = 24;
/** Monitors remembered, at about 1.2 kB each. */
const REMEMBERED = 10_000;
/** Rollups that retention has removed may still count for this long. */
const REMEMBERED_MS = 300_000;
/** Monitors in one query. */
const AT_ONCE = 100;
/** Numbers of each hour: its journal entry plus one, ms up and watched, the sum and number of times. */
const FIELDS = 5;
const NOTHING = new Float64Array(RECENT_HOURS * FIELDS);

/** A clock hour of a monitor. */
export interface RecentHour extends WatchedTime {
  /** Mean response time of successful checks, ms to a tenth; null without any. */
  response_time_ms: number | null;
}

export interface RecentlyWatched {
  live: MonitorLive;
  /** The oldest first; the last one is not over. */
  hours: RecentHour[];
}

export interface RecentHoursDeps {
  clock: Clock;
  rollups: Pick<TotalsReader, 'hourTotals'>;
  open: Pick<OpenReader, 'open'>;
  openRows: OpenRowsReader;
}

interface Remembered {
  first: number;
  version: string;
  hours: Float64Array;
}

/**
 * How monitors were in each of the last 24 hours: from rollups, which are remembered until a monitor's owner
 * writes again, and from the owners.
 */
export class RecentHours {
  readonly #deps: RecentHoursDeps;
  readonly #memory = new ReadingMemory<Remembered>(
    { most: REMEMBERED, goodForMs: REMEMBERED_MS, whenFull: 'keep what is good' },
  );

  constructor(deps: RecentHoursDeps) {
    this.#deps = deps;
  }

  /**
   * The hours up to that of `now` (Unix ms). Leaves out monitors that nobody has heard of.
   * @throws AppError SERVICE_UNAVAILABLE when an owner does not answer.
   */
  async of(monitorIds: string[], now: number): Promise<Map<string, RecentlyWatched>> {
    const { open, openRows } = this.#deps;
    const from = hourOf(now) - (RECENT_HOURS - 1) * HOUR_MS;
    const { monitors } = await open.open(monitorIds, 0);
    const written = await this.#written(monitors, from);
    const found = new Map<string, RecentlyWatched>();
    for (const [id, monitor] of monitors) {
      const hours = (written.get(id) ?? NOTHING).slice();
      const placeOf = (hour: number) => ((hour - from) / HOUR_MS) * FIELDS;
      const positionOf = (hour: number) => positionIn(hours, placeOf(hour));
      const parts = await openTotals(monitor, { from, positionOf }, openRows);
      for (const { hour, totals } of parts) add(hours, placeOf(hour), totals);
      found.set(id, { live: monitor.live, hours: hoursIn(hours) });
    }
    return found;
  }

  async #written(monitors: ReadonlyMap<string, OpenMonitor>, first: number) {
    const readAt = this.#deps.clock.monotonic();
    const found = new Map<string, Float64Array>();
    for (const [id, { written: version }] of monitors) {
      const known = this.#memory.recall(id, readAt);
      if (known?.first === first && known.version === version) found.set(id, known.hours);
    }
    const missing = [...monitors.keys()].filter((id) => !found.has(id));
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      for (const [id, hours] of await this.#read(missing.slice(at, at + AT_ONCE), first)) {
        found.set(id, hours);
        const version = monitors.get(id)?.written;
        if (version !== undefined) this.#memory.keep(id, { first, version, hours }, readAt);
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
  const more = [upOf(times), watchedOf(times), time_sum, time_count];
  for (const [index, value] of more.entries()) (hours[place + 1 + index] as number) += value;
}

function hoursIn(hours: Float64Array): RecentHour[] {
  return Array.from({ length: RECENT_HOURS }, (_, hour) => {
    const numbers = hours.subarray(hour * FIELDS, (hour + 1) * FIELDS);
    const [, up = 0, watched = 0, time_sum = 0, time_count = 0] = numbers;
    return { up, watched, response_time_ms: meanTimeOf({ time_sum, time_count }) };
  });
}
