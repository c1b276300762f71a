import type { Clock } from '../../../shared/time.ts';
import { DAY_MS, HOUR_MS } from '../../verdicts/booking-rules.ts';
import { rollupKey, steps, sumTotals, uptimeOf, uptimeOutside, type Totals } from '../hours/rollup.ts';
import type { TotalsReader } from './written-totals.ts';

/** Monitors remembered, at about 1.5 kB each. */
const REMEMBERED = 5000;
/** Late results may still change past days. */
const REMEMBERED_MS = 600_000;
/** Monitors in one query. */
const AT_ONCE = 50;

/** Percent by day, the oldest first; null where nothing was watched. */
type Uptimes = (number | null)[];

interface Remembered {
  today: number;
  readAt: number;
  /** The days of all time, then those without maintenance; NaN where nothing was watched. */
  uptimes: Float64Array;
}

/** The uptime of each of the last days (UTC) before today, remembered for ten minutes. */
export class PastDays {
  readonly #clock: Clock;
  readonly #rollups: TotalsReader;
  /** The longest remembered first. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(rollups: TotalsReader, clock: Clock) {
    this.#rollups = rollups;
    this.#clock = clock;
  }

  /**
   * @param count how many days, always the same
   * @param isWhole whether time in maintenance counts
   */
  async of(monitorIds: readonly string[], count: number, isWhole: boolean): Promise<Map<string, Uptimes>> {
    const now = this.#clock.now();
    const today = now - (now % DAY_MS);
    const readAt = this.#clock.monotonic();
    const isGood = (known: Remembered | undefined) =>
      known?.today === today && known.uptimes.length === 2 * count && readAt - known.readAt < REMEMBERED_MS;
    const found = new Map<string, Float64Array>();
    for (const id of monitorIds) {
      const known = this.#remembered.get(id);
      if (known !== undefined && isGood(known)) found.set(id, known.uptimes);
    }
    const missing = monitorIds.filter((id) => !found.has(id));
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      for (const [id, uptimes] of await this.#read(missing.slice(at, at + AT_ONCE), today, count)) {
        found.set(id, uptimes);
        this.#remember(id, { today, readAt, uptimes });
      }
    }
    const [first, end] = isWhole ? [0, count] : [count, 2 * count];
    return new Map([...found].map(([id, uptimes]) =>
      [id, Array.from(uptimes.subarray(first, end), (uptime) => (Number.isNaN(uptime) ? null : uptime))]));
  }

  #remember(id: string, what: Remembered): void {
    this.#remembered.delete(id);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(id, what);
  }

  async #read(ids: string[], today: number, count: number): Promise<Map<string, Float64Array>> {
    const days = steps(today - count * DAY_MS, today, DAY_MS);
    const written = await this.#rollups.dayTotals(
      ids.flatMap((id) => days.map((day) => ({ monitor_id: id, day }))),
    );
    const byDay = new Map(written.map((one) => [rollupKey(one.monitor_id, one.day), one.totals]));
    for (const [key, totals] of await this.#yesterday(ids, today - DAY_MS, byDay)) byDay.set(key, totals);
    return new Map(ids.map((id) => {
      const totals = days.map((day) => byDay.get(rollupKey(id, day)));
      const whole = totals.map((of) => (of && uptimeOf(of.times)) ?? NaN);
      const outside = totals.map((of) => (of && uptimeOutside(of)) ?? NaN);
      return [id, Float64Array.from([...whole, ...outside])];
    }));
  }

  /** Yesterday from its hours, where it is not rolled up yet. */
  async #yesterday(ids: string[], day: number, known: ReadonlyMap<string, Totals>) {
    const missing = ids.filter((id) => !known.has(rollupKey(id, day)));
    const hours = steps(day, day + DAY_MS, HOUR_MS);
    const keys = missing.flatMap((id) => hours.map((hour) => ({ monitor_id: id, hour })));
    const parts = new Map<string, Totals[]>();
    for (const { monitor_id: id, totals } of keys.length === 0 ? [] : await this.#rollups.hourTotals(keys)) {
      const key = rollupKey(id, day);
      parts.set(key, [...(parts.get(key) ?? []), totals]);
    }
    return new Map([...parts].map(([key, totals]) => [key, sumTotals(totals)]));
  }
}
