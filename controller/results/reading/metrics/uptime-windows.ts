import { accountGap, DAY_MS, HOUR_MS } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import type { HourTimes } from '../../../verdicts/monitor-state.ts';
import { monitoredOf, steps, upOf, type Totals } from '../../hours/rollup.ts';
import type { DayKey, HourKey } from '../../hours/hour-record.ts';
import type { LiveMonitor } from '../../state/live-monitor.ts';
import { toUnwrittenMonitor } from '../recent/unwritten-monitor.ts';
import { NONE, SHARE_SCALE } from './monitor-page.ts';
import { grown } from './monitor-slots.ts';

/** Written hours per monitor: the last 24, and the rest of the first day that has no daily rollup yet. */
const HOURS = 26;
const DAYS = 30;
const HOURS_PER_DAY = 24;
const UNIT_MS = 1000;
/** Hours before the latest read that may have been written since. */
const REREAD_HOURS = 2;
/** Numbers of past days: up and monitored, of yesterday and of the days before it. */
const DAY_FIELDS = 4;
const UNKNOWN = [NONE, NONE] as const;

/** The rollups to read of a monitor. */
interface MissingRollups {
  hours: HourKey[];
  days: DayKey[];
}

/** Sums over the last day and the last month, ms. */
interface Sums {
  /** The first hour of each, by number. */
  firstOfDay: number;
  firstOfMonth: number;
  dayUp: number;
  dayTotal: number;
  monthUp: number;
  monthTotal: number;
}

/**
 * Uptimes of monitors over the last 24 clock hours and 30 days (UTC), both including the current one: from
 * rollups, which are read once a day and those of the latest hours again when they change, and from unwritten
 * times. Takes 128 bytes per monitor.
 */
export class UptimeWindows {
  /** By slot and hour, in rings: seconds up and seconds monitored. */
  #hours = new Uint16Array(0);
  /** By slot, as of the day of the latest read; DAY_FIELDS. */
  #days = new Uint32Array(0);
  /** By slot: number of the hour as of which rollups were read (0: never), and the version that they had. */
  #readAt = new Uint32Array(0);
  #versions = new Uint32Array(0);

  /** Makes room for this many slots. */
  reserve(slots: number): void {
    this.#hours = grown(this.#hours, slots * HOURS * 2);
    this.#days = grown(this.#days, slots * DAY_FIELDS);
    this.#readAt = grown(this.#readAt, slots);
    this.#versions = grown(this.#versions, slots);
  }

  /** `version`: how often the monitor's rollups were written. */
  isCurrent(slot: number, version: number): boolean {
    return this.isKnown(slot) && this.#versions[slot] === version;
  }

  isKnown(slot: number): boolean {
    return (this.#readAt[slot] ?? 0) > 0;
  }

  /** The rollups that a monitor lacks at `now`, Unix ms. */
  missing(slot: number, monitor_id: string, now: number): MissingRollups {
    const [hour, day] = [Math.floor(now / HOUR_MS), Math.floor(now / DAY_MS)];
    const readAt = this.#readAt[slot] ?? 0;
    const isNewDay = dayOf(readAt) !== day;
    const firstHour = isNewDay ? hour - HOURS + 1 : readAt - REREAD_HOURS;
    const firstDay = isNewDay ? day - DAYS + 1 : day - 1;
    return {
      hours: steps(firstHour * HOUR_MS, (hour + 1) * HOUR_MS, HOUR_MS)
        .map((start) => ({ monitor_id, hour: start })),
      days: steps(firstDay * DAY_MS, day * DAY_MS, DAY_MS).map((start) => ({ monitor_id, day: start })),
    };
  }

  /** Stores the `missing` rollups as of `now`; undefined where there is none. */
  store(
    slot: number, version: number, now: number, missing: MissingRollups,
    found: Record<keyof MissingRollups, (start: number) => Totals | undefined>,
  ): void {
    for (const { hour } of missing.hours) {
      const place = hourPlace(slot, hour / HOUR_MS);
      [this.#hours[place], this.#hours[place + 1]] = secondsOf([found.hours(hour)]);
    }
    const days = missing.days.map(({ day }) => found.days(day));
    const place = slot * DAY_FIELDS;
    [this.#days[place], this.#days[place + 1]] = secondsOf(days.slice(-1));
    // Within a day, the days before yesterday are not read again.
    if (days.length > 1) [this.#days[place + 2], this.#days[place + 3]] = secondsOf(days.slice(0, -1));
    this.#readAt[slot] = Math.floor(now / HOUR_MS);
    this.#versions[slot] = version;
  }

  clear(slot: number): void {
    if (slot < this.#readAt.length) this.#readAt[slot] = 0;
  }

  /**
   * Of the last 24 hours and 30 days, in SHARE_SCALE; NONE without monitored time. `now`: Unix ms. After
   * midnight, it covers another day until rollups are read again.
   */
  of(slot: number, monitor: LiveMonitor, now: number): readonly [day: number, month: number] {
    const readAt = this.#readAt[slot] ?? 0;
    if (readAt === 0) return UNKNOWN;
    const current = Math.floor(now / HOUR_MS);
    const place = slot * DAY_FIELDS;
    const [yesterdayUp, yesterdayTotal, earlierUp, earlierTotal] =
      [this.#days[place], this.#days[place + 1], this.#days[place + 2], this.#days[place + 3]] as number[];
    const readOn = dayOf(readAt);
    const sums: Sums = {
      firstOfDay: current - HOURS_PER_DAY + 1,
      // Hours of a day that has no rollup yet.
      firstOfMonth: (yesterdayTotal === 0 ? readOn - 1 : readOn) * HOURS_PER_DAY,
      dayUp: 0, dayTotal: 0, monthUp: (yesterdayUp as number + (earlierUp as number)) * UNIT_MS,
      monthTotal: (yesterdayTotal as number + (earlierTotal as number)) * UNIT_MS,
    };
    const firstRead = readAt - HOURS + 1;
    const first = Math.max(Math.min(sums.firstOfDay, sums.firstOfMonth), firstRead);
    const hours = this.#hours;
    for (let hour = first; hour <= Math.min(readAt, current); hour += 1) {
      const at = hourPlace(slot, hour);
      add(sums, hour, (hours[at] as number) * UNIT_MS, (hours[at + 1] as number) * UNIT_MS);
    }
    const isWritten = (hour: number): boolean =>
      hour >= firstRead && hour <= readAt && hours[hourPlace(slot, hour) + 1] !== 0;
    addUnwritten(sums, monitor, now, isWritten);
    return [shareOf(sums.dayUp, sums.dayTotal), shareOf(sums.monthUp, sums.monthTotal)];
  }
}

function add(sums: Sums, hour: number, up: number, total: number): void {
  if (hour >= sums.firstOfDay) {
    sums.dayUp += up;
    sums.dayTotal += total;
  }
  if (hour >= sums.firstOfMonth) {
    sums.monthUp += up;
    sums.monthTotal += total;
  }
}

/** Adds the times of hours that are in no rollup. */
function addUnwritten(
  sums: Sums, monitor: LiveMonitor, now: number, isWritten: (hour: number) => boolean,
): void {
  if (monitor.hours.some(({ late }) => late !== null)) {
    const { hours } = toUnwrittenMonitor(monitor.state.config.monitor_id, monitor, now, '');
    for (const { hour, times } of hours) {
      const number = hour / HOUR_MS;
      if (times !== null && !isWritten(number)) add(sums, number, upOf(times), monitoredOf(times));
    }
    return;
  }
  // The same without late results, as almost always, at a fraction of the cost.
  const { accounted, accounted_until: until, status } = accountGap(monitor.state, now);
  for (const start in accounted) {
    const times = accounted[start as unknown as number] as HourTimes;
    const number = Number(start) / HOUR_MS;
    if (!isWritten(number)) add(sums, number, upOf(times), monitoredOf(times));
  }
  const openMs = Math.max(0, now - until);
  const isUp = status === 'up' || status === 'degraded';
  if (isUp || status === 'down') add(sums, Math.floor(now / HOUR_MS), isUp ? openMs : 0, openMs);
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY);
}

function hourPlace(slot: number, hour: number): number {
  return (slot * HOURS + (hour % HOURS)) * 2;
}

/** Seconds up and seconds monitored. */
function secondsOf(parts: (Totals | undefined)[]): [up: number, total: number] {
  let [up, total] = [0, 0];
  for (const part of parts) {
    if (part === undefined) continue;
    up += upOf(part.times);
    total += monitoredOf(part.times);
  }
  return [Math.round(up / UNIT_MS), Math.round(total / UNIT_MS)];
}

/** Rounded down, so that an incomplete uptime is never shown as 1. */
function shareOf(up: number, total: number): number {
  return total === 0 ? NONE : Math.floor((up / total) * SHARE_SCALE);
}
