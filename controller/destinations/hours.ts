import { ZoneClock } from '../work/zone-clock.ts';

/** When a destination accepts alerts. Times of day are those that clocks in `timezone` show. */
export interface Hours {
  /** IANA name. */
  timezone: string;
  /** 1 is Monday, 7 is Sunday. */
  days: number[];
  /** `HH:MM`. */
  from: string;
  /** `HH:MM`; before `from` if the hours run past midnight into the next day. */
  to: string;
  /** Whether alerts outside the hours wait for the next opening. */
  outside: 'hold' | 'drop';
}

type Timetable = Pick<Hours, 'days' | 'from' | 'to'>;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 3;
/** Hours of one day a week may be skipped once by a clock change. */
const MAX_DAYS_AHEAD = 15;

/** When the destination accepts alerts next: `now` itself while it is open. Unix ms. */
export function opensAt(hours: Hours, now: number): number {
  const zone = new ZoneClock(hours.timezone);
  const isOpen = (at: number): boolean => isOpenAt(hours, zone.localTime(at));
  if (isOpen(now)) return now;
  const firstStart = Math.floor(zone.localTime(now) / DAY_MS) * DAY_MS + minutesOf(hours.from) * MINUTE_MS;
  const openings = Array.from({ length: MAX_DAYS_AHEAD }, (_, day) => day * DAY_MS).flatMap((later) => [
    ...zone.instantsOf(firstStart + later),
    // Clocks that change may skip the opening time, or go back into the hours.
    zone.changeBetween(now + later, now + later + DAY_MS),
  ]);
  return Math.min(...openings.filter((at): at is number => at !== null && at > now && isOpen(at)));
}

function isOpenAt({ days, from, to }: Timetable, local: number): boolean {
  const minute = Math.floor(local / MINUTE_MS) % (24 * 60);
  const day = Math.floor(local / DAY_MS);
  const opens = (one: number): boolean => days.includes(((one + FIRST_WEEKDAY) % 7) + 1);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  if (start < end) return opens(day) && minute >= start && minute < end;
  return (opens(day) && minute >= start) || (opens(day - 1) && minute < end);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
