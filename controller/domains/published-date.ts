const EARLIEST_YEAR = 1985;
const LATEST_YEAR = 2200;
/** No date is longer, whatever stands behind it. */
const LONGEST_DATE = 64;
const HOUR_MS = 3_600_000;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = new Set(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);

/** Year first, as in ISO 8601, with or without a time and an offset from UTC. */
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?(.*))?/i;
const OFFSET = /^(?:\.\d{1,9})? ?(?:\(?(?:UTC|GMT))?([+-])(\d{2}):?(\d{2})?/i;

/**
 * Unix ms of a date as registries write it; null when it is none. A time without an offset is UTC, and of
 * forms other than year-month-day only the day counts.
 */
export function publishedDate(text: string): number | null {
  const cut = text.slice(0, LONGEST_DATE).trim();
  const [, year, , month, day, hours = '0', minutes = '0', seconds = '0', rest = ''] =
    YEAR_FIRST.exec(cut) ?? [];
  if (year === undefined) return namedOrReversed(cut);
  const at = dayOf(Number(year), Number(month), Number(day));
  const isTime = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) <= 60;
  if (at === null || !isTime) return at;
  const ofDayMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return at + ofDayMs - offsetMs(rest);
}

function offsetMs(rest: string): number {
  const [, sign, hours = '0', minutes = '0'] = OFFSET.exec(rest) ?? [];
  if (sign === undefined || Number(hours) > 14) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000);
}

/** 13-Aug-2026, 13.08.2026, 2026-Aug-13, August 13 2026, 20260813, Thu Aug 13 2026. */
function namedOrReversed(text: string): number | null {
  const words = text.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
  const [first = '', second = '', third = '', ...others] = WEEKDAYS.has(words[0] ?? '') ? words.slice(1) : words;
  const packed = /^(\d{4})(\d{2})(\d{2})$/.exec(first);
  if (packed) return dayOf(Number(packed[1]), Number(packed[2]), Number(packed[3]));
  if (/^\d{4}$/.test(first)) return dayOf(Number(first), monthOf(second), Number(third));
  // `Aug 13 04:00:00 2026` and `13 Aug 04:00:00 2026` have the year after the time.
  const year = Number(third.length === 4 ? third : others.find((word) => /^\d{4}$/.test(word)));
  const isMonthFirst = /^[a-z]/.test(first) || Number(second) > 12;
  return isMonthFirst
    ? dayOf(year, monthOf(first), Number(second))
    : dayOf(year, monthOf(second), Number(first));
}

/** 1 to 12, or NaN. */
function monthOf(word: string): number {
  if (/^\d{1,2}$/.test(word)) return Number(word);
  const index = MONTHS.indexOf(word.slice(0, 3));
  return index < 0 ? NaN : index + 1;
}

function dayOf(year: number, month: number, day: number): number | null {
  if (!(year >= EARLIEST_YEAR && year <= LATEST_YEAR)) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}
