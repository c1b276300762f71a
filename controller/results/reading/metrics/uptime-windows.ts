import { accountGap, DAY_MS, HOUR_MS } from '../../../verdicts/time-accounting/time-accounting-rules.ts';
import type { HourTimes } from '../../../verdicts/monitor-state.ts';
import { monitoredOf, steps, upOf, type Totals } from '../../hours/rollup.ts';
import type { DayKey, HourKey } from '../../hours/hour-record.ts';
import type { LiveMonitor } from '../../state/live-monitor.ts';
import { toUnwrittenMonitor } from '../recent/unwritten-monitor.ts';
import { NONE } from './monitor-page.ts';
import { grown } from './monitor-slots.ts';

/** Written hours per monitor: the last 24, and the rest of the first day that has no daily rollup yet. */
const HOURS = 26;
const DAYS = 30;
const HOURS_PER_DAY = 24;
/** A day in these units fits into two bytes. */
const DAY_UNIT_MS = 2000;
const HOUR_UNIT_MS = 1000;
/** Hours before the latest read that may have been written since. */
const REREAD_HOURS = 2;
/** So that an incomplete uptime is never shown as 1. */
const PRECISION = 1_000_000;
const UNKNOWN = [NONE, NONE] as const;

/** Adds the ms up and the ms monitored of an hour, by its number. */
type AddHour = (hour: number, up: number, total: number) => void;

/**
 * Uptimes of monitors over the last 24 clock hours and 30 days (UTC), both including the current one: from
 * rollups, which are read once, and from unwritten times. Takes 232 bytes per monitor.
 */
export class UptimeWindows {
  /** By slot and hour or day, in rings: time up and time monitored. */
  #hours = new Uint16Array(0);
  #days = new Uint16Array(0);
  /** By slot: number of the hour as of which rollups were read (0: never), and the version that they had. */
  #readAt = new Uint32Array(0);
  #versions = new Uint32Array(0);

  /** `version`: how often the monitor's rollups were written. */
  isCurrent(slot: number, version: number): boolean {
    return (this.#readAt[slot] ?? 0) > 0 && this.#versions[slot] === version;
  }

  isKnown(slot: number): boolean {
    return (this.#readAt[slot] ?? 0) > 0;
  }

  /** The rollups that a monitor lacks at `now`, Unix ms. */
  missing(slot: number, monitor_id: string, now: number): { hours: HourKey[]; days: DayKey[] } {
    const { hour, day } = numbersOf(now);
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
    slot: number, version: number, now: number, missing: { hours: HourKey[]; days: DayKey[] },
    found: Record<keyof typeof missing, (start: number) => Totals | undefined>,
  ): void {
    this.#hours = grown(this.#hours, (slot + 1) * HOURS * 2);
    this.#days = grown(this.#days, (slot + 1) * DAYS * 2);
    this.#readAt = grown(this.#readAt, slot + 1);
    this.#versions = grown(this.#versions, slot + 1);
    for (const { hour } of missing.hours) {
      write(this.#hours, placeOf(slot, hour / HOUR_MS, HOURS), found.hours(hour), HOUR_UNIT_MS);
    }
    for (const { day } of missing.days) {
      write(this.#days, placeOf(slot, day / DAY_MS, DAYS), found.days(day), DAY_UNIT_MS);
    }
    this.#readAt[slot] = numbersOf(now).hour;
    this.#versions[slot] = version;
  }

  clear(slot: number): void {
    if (slot < this.#readAt.length) this.#readAt[slot] = 0;
  }

  /** Of the last 24 hours and 30 days, from 0 to 1; NONE without monitored time. `now`: Unix ms. */
  of(slot: number, monitor: LiveMonitor, now: number): readonly [day: number, month: number] {
    const readAt = this.#readAt[slot] ?? 0;
    if (readAt === 0) return UNKNOWN;
    const { hour: current, day: today } = numbersOf(now);
    let [monthUp, monthTotal] = [0, 0];
    for (let day = today - DAYS + 1; day < today; day += 1) {
      if (!this.#hasDay(slot, day)) continue;
      const place = placeOf(slot, day, DAYS);
      monthUp += (this.#days[place] as number) * DAY_UNIT_MS;
      monthTotal += (this.#days[place + 1] as number) * DAY_UNIT_MS;
    }
    const firstOfDay = current - HOURS_PER_DAY + 1;
    const firstOfMonth = (this.#hasDay(slot, today - 1) ? today : today - 1) * HOURS_PER_DAY;
    let [dayUp, dayTotal] = [0, 0];
    const add: AddHour = (hour, up, total) => {
      if (hour >= firstOfDay) [dayUp, dayTotal] = [dayUp + up, dayTotal + total];
      if (hour >= firstOfMonth) [monthUp, monthTotal] = [monthUp + up, monthTotal + total];
    };
    const first = Math.max(Math.min(firstOfDay, firstOfMonth), readAt - HOURS + 1);
    for (let hour = first; hour <= Math.min(readAt, current); hour += 1) {
      const place = placeOf(slot, hour, HOURS);
      const [up, total] = [this.#hours[place] as number, this.#hours[place + 1] as number];
      add(hour, up * HOUR_UNIT_MS, total * HOUR_UNIT_MS);
    }
    addUnwritten(monitor, now, (hour, up, total) => {
      if (!this.#hasHour(slot, hour)) add(hour, up, total);
    });
    return [shareOf(dayUp, dayTotal), shareOf(monthUp, monthTotal)];
  }

  #hasHour(slot: number, hour: number): boolean {
    const readAt = this.#readAt[slot] as number;
    return hour <= readAt && hour > readAt - HOURS && this.#hours[placeOf(slot, hour, HOURS) + 1] !== 0;
  }

  #hasDay(slot: number, day: number): boolean {
    const readOn = dayOf(this.#readAt[slot] as number);
    return day < readOn && day > readOn - DAYS && this.#days[placeOf(slot, day, DAYS) + 1] !== 0;
  }
}

function numbersOf(now: number): { hour: number; day: number } {
  return { hour: Math.floor(now / HOUR_MS), day: Math.floor(now / DAY_MS) };
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY);
}

function placeOf(slot: number, number: number, length: number): number {
  return (slot * length + (number % length)) * 2;
}

function write(ring: Uint16Array, place: number, totals: Totals | undefined, unitMs: number): void {
  ring[place] = totals === undefined ? 0 : Math.round(upOf(totals.times) / unitMs);
  ring[place + 1] = totals === undefined ? 0 : Math.round(monitoredOf(totals.times) / unitMs);
}

/** Adds the times of hours that are in no rollup. */
function addUnwritten(monitor: LiveMonitor, now: number, add: AddHour): void {
  if (monitor.hours.some(({ late }) => late !== null)) {
    const { hours } = toUnwrittenMonitor(monitor.state.config.monitor_id, monitor, now, '');
    for (const { hour, times } of hours) {
      if (times !== null) add(hour / HOUR_MS, upOf(times), monitoredOf(times));
    }
    return;
  }
  // The same without late results, as almost always, at a fraction of the cost.
  const { accounted, accounted_until: until, status } = accountGap(monitor.state, now);
  for (const start in accounted) {
    const times = accounted[start as unknown as number] as HourTimes;
    add(Number(start) / HOUR_MS, upOf(times), monitoredOf(times));
  }
  const openMs = Math.max(0, now - until);
  const isUp = status === 'up' || status === 'degraded';
  if (isUp || status === 'down') add(Math.floor(now / HOUR_MS), isUp ? openMs : 0, openMs);
}

function shareOf(up: number, total: number): number {
  return total === 0 ? NONE : Math.floor((up / total) * PRECISION) / PRECISION;
}
