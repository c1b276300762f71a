import type { Clock } from '../../../shared/time.ts';
import { DAY_MS, HOUR_MS } from '../../verdicts/booking-rules.ts';
import { rollupKey, steps, sumTotals, type Totals } from '../hours/rollup.ts';
import type { DayKey, HourKey } from '../hours/hour-record.ts';

/** Monitors and periods whose totals are remembered, about 2 kB each. */
const REMEMBERED = 5000;
/** What retention has removed is counted for so long at most. */
const REMEMBERED_MS = 300_000;

/** What rollups say of a monitor over a period. */
export interface Written {
  totals: Totals;
  /** Of each hour that is counted by itself, the journal entry that its rollup is of. */
  positions: ReadonlyMap<number, number>;
  /** Days that are counted as a whole. */
  days: ReadonlySet<number>;
}

export interface TotalsReader {
  hourTotals(keys: HourKey[]): Promise<(HourKey & { position: number; totals: Totals })[]>;
  dayTotals(keys: DayKey[]): Promise<(DayKey & { totals: Totals })[]>;
}

interface Remembered {
  from: number;
  version: string;
  readAt: number;
  written: Written;
}

/**
 * `keep what is good` suits readers that go through more than is remembered, always in the same order: each would find that the one
 * before had displaced just what it needs.
 */
type WhenFull = 'drop the oldest' | 'keep what is good';

/**
 * Totals of monitors' rollups from an hour until now. Remembered until the owner of a monitor says that it has written again:
 * a page of fifty monitors is some 3,500 rollups, of which one an hour is new.
 */
export class WrittenTotals {
  readonly #clock: Clock;
  readonly #rollups: TotalsReader;
  readonly #whenFull: WhenFull;
  /** The longest remembered first. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(rollups: TotalsReader, clock: Clock, whenFull: WhenFull) {
    this.#rollups = rollups;
    this.#clock = clock;
    this.#whenFull = whenFull;
  }

  /** @param monitors ids, each with what its owner calls the state of its rollups; null when that is not known */
  async of(monitors: ReadonlyMap<string, string | null>, from: number, now: number): Promise<Map<string, Written>> {
    const hours = (now - from) / HOUR_MS;
    const readAt = this.#clock.monotonic();
    const written = new Map<string, Written>();
    for (const [id, version] of monitors) {
      const known = this.#remembered.get(keyOf(id, hours));
      if (known && known.from === from && known.version === version && readAt - known.readAt < REMEMBERED_MS) written.set(id, known.written);
    }
    const missing = [...monitors.keys()].filter((id) => !written.has(id));
    if (missing.length === 0) return written;
    for (const [id, found] of await this.#read(missing, from, now)) {
      written.set(id, found);
      const version = monitors.get(id) ?? null;
      if (version !== null) this.#remember(keyOf(id, hours), { from, version, readAt, written: found });
    }
    return written;
  }

  #remember(key: string, what: Remembered): void {
    this.#remembered.delete(key);
    for (const [oldest, { readAt }] of this.#remembered) {
      if (this.#remembered.size < REMEMBERED) break;
      if (this.#whenFull === 'keep what is good' && what.readAt - readAt < REMEMBERED_MS) return;
      this.#remembered.delete(oldest);
    }
    this.#remembered.set(key, what);
  }

  /** Whole days by their rollup; hours for the first day's rest and for days that have none yet: the last two. */
  async #read(monitorIds: string[], from: number, now: number): Promise<Map<string, Written>> {
    const firstDay = Math.ceil(from / DAY_MS) * DAY_MS;
    const today = now - (now % DAY_MS);
    const days = steps(firstDay, today, DAY_MS);
    const found = await this.#rollups.dayTotals(monitorIds.flatMap((id) => days.map((day) => ({ monitor_id: id, day }))));
    const known = new Set(found.map((day) => rollupKey(day.monitor_id, day.day)));
    const hourKeys = monitorIds.flatMap((id) => {
      const recentDays = [today - DAY_MS, today].filter((day) => day >= firstDay && !known.has(rollupKey(id, day)));
      const hours = [...steps(from, firstDay, HOUR_MS), ...recentDays.flatMap((day) => steps(day, Math.min(day + DAY_MS, now + 1), HOUR_MS))];
      return hours.map((hour) => ({ monitor_id: id, hour }));
    });
    const parts = new Map(monitorIds.map((id) => [id, { totals: [] as Totals[], positions: new Map<number, number>(), days: new Set<number>() }]));
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
    return new Map([...parts].map(([id, { totals, positions, days }]) => [id, { totals: sumTotals(totals), positions, days }]));
  }
}

/** A period begins at a full hour, so that in one hour it has one key. */
function keyOf(monitorId: string, hours: number): string {
  return `${monitorId}:${Math.floor(hours)}`;
}
