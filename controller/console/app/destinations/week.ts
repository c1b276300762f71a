import { toLocal } from '../maintenance/recurrence.ts';
import type { Destination } from './draft.ts';

export type Hours = NonNullable<Destination['hours']>;
/** Minutes of a day, from 0 to 1440. */
type Range = readonly [from: number, to: number];

export const DAY_MINUTES = 1440;

/** When alerts are sent on each day, from Monday, in order. Hours past midnight continue on the next day. */
export function openRanges({ days, from, to }: Hours): Range[][] {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  if (Number.isNaN(start) || Number.isNaN(end) || start === end) return Array.from({ length: 7 }, () => []);
  return Array.from({ length: 7 }, (_, index) => {
    const opens = (day: number) => days.includes(((day + 6) % 7) + 1);
    const today = opens(index + 1);
    if (start < end) return today ? [[start, end]] : [];
    const ranges: Range[] = [];
    if (opens(index) && end > 0) ranges.push([0, end]);
    if (today) ranges.push([start, DAY_MINUTES]);
    return ranges;
  });
}

/** The weekday (0 is Monday) and the minute that clocks in this zone show; null if the browser doesn't know it. */
export function clockIn(timezone: string, at: number): { day: number; minute: number } | null {
  try {
    const local = toLocal(at, timezone);
    return { day: (new Date(`${local}Z`).getUTCDay() + 6) % 7, minute: minutesOf(local.slice(11)) };
  } catch {
    return null;
  }
}

/** As in 08:00. */
export function timeOfDay(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

function minutesOf(time: string): number {
  const [hours = NaN, minutes = NaN] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
