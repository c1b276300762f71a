import type { Clock } from '../../../shared/time.ts';
import { DAY_MS, HOUR_MS } from '../../verdicts/booking-rules.ts';
import { rollupKey, steps, sumTotals, upOf, watchedOf, type Totals } from '../hours/rollup.ts';
import { ReadingMemory, type WhenFull } from './reading-memory.ts';
import type { TotalsReader } from './written-totals.ts';

/** Monitors remembered, at about 1.5 kB each. */
const REMEMBERED = 5000;
/** Late results may still change past days. */
const REMEMBERED_MS = 600_000;
/** Monitors in one query. */
const AT_ONCE = 50;
/** Numbers of each day: ms up and ms watched, and both without maintenance. */
const FIELDS = 4;

/** How long a monitor was watched, and how much of that it was up or degraded, ms. */
export interface WatchedTime {
  up: number;
  watched: number;
}

interface Remembered {
  today: number;
  /** FIELDS of each day, the oldest day first. */
  days: Uint32Array;
}

/** How monitors were on each of the last days (UTC) before today, remembered for ten minutes. */
export class PastDays {
  readonly #clock: Clock;
  readonly #rollups: TotalsReader;
  readonly #memory: ReadingMemory<Remembered>;

  constructor(rollups: TotalsReader, clock: Clock, whenFull: WhenFull) {
    this.#clock = clock;
    this.#rollups = rollups;
    this.#memory = new ReadingMemory({ most: REMEMBERED, goodForMs: REMEMBERED_MS, whenFull });
  }

  /**
   * The uptime of each day in percent, the oldest first; null where nothing was watched.
   * @param count how many days, always the same
   * @param isWhole whether time in maintenance counts
   */
  async of(
    monitorIds: readonly string[], count: number, isWhole: boolean,
  ): Promise<Map<string, (number | null)[]>> {
    const found = await this.#days(monitorIds, count, this.#clock.now());
    return new Map([...found].map(([id, days]) => [id, percentsOf(days, isWhole)]));
  }

  /** The times of each day before `now` (Unix ms), the oldest first; other parameters as those of `of`. */
  async times(
    monitorIds: readonly string[], count: number, isWhole: boolean, now: number,
  ): Promise<Map<string, WatchedTime[]>> {
    const first = isWhole ? 0 : 2;
    const timeOf = (days: Uint32Array, day: number): WatchedTime =>
      ({ up: days[day * FIELDS + first] as number, watched: days[day * FIELDS + first + 1] as number });
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
      const known = this.#memory.recall(id, readAt);
      if (known?.today === today && known.days.length === FIELDS * count) found.set(id, known.days);
    }
    const missing = monitorIds.filter((id) => !found.has(id));
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      for (const [id, days] of await this.#read(missing.slice(at, at + AT_ONCE), today, count)) {
        found.set(id, days);
        this.#memory.keep(id, { today, days }, readAt);
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
    const known = new Set(written.map(({ monitor_id: id, day }) => rollupKey(id, day)));
    for (const [id, totals] of await this.#yesterday(ids, today - DAY_MS, known)) {
      found.get(id)?.set(fieldsOf(totals), (count - 1) * FIELDS);
    }
    return found;
  }

  /** Yesterday from its hours, where it is not rolled up yet. */
  async #yesterday(ids: string[], day: number, known: ReadonlySet<string>): Promise<Map<string, Totals>> {
    const missing = ids.filter((id) => !known.has(rollupKey(id, day)));
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
  const [up, watched] = [upOf(times), watchedOf(times)];
  return [up, watched, up - upOf(maintenance.times), watched - watchedOf(maintenance.times)];
}

/** A loop without objects: a page of hundreds of monitors asks for thousands of days, each second. */
function percentsOf(days: Uint32Array, isWhole: boolean): (number | null)[] {
  const percents: (number | null)[] = [];
  for (let at = isWhole ? 0 : 2; at < days.length; at += FIELDS) {
    const [up, watched] = [days[at] as number, days[at + 1] as number];
    percents.push(watched === 0 ? null : (up / watched) * 100);
  }
  return percents;
}

/** Null if nothing was watched. */
export function percentOf({ up, watched }: WatchedTime): number | null {
  return watched === 0 ? null : (up / watched) * 100;
}
