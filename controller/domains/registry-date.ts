const EARLIEST_YEAR = 1985;
const LATEST_YEAR = 2200;
/** No date is longer; the rest is ignored. */
const MAX_DATE_LENGTH = 64;
const HOUR_MS = 3_600_000;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = new Set(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);

/** Year first, as in ISO 8601, with or without a time and an offset from UTC. */
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?(.*))?/i;
const OFFSET = /^(?:\.\d{1,9})? ?(?:\(?(?:UTC|GMT))?([+-])(\d{2}):?(\d{2})?/i;

/**
 * Parses a date as registries write it to Unix ms; null if it is not one. A time without an offset is UTC.
 * Formats other than year-month-day keep only the day.
 */
export function parseRegistryDate(text: string): number | null {
  const trimmed = text.slice(0, MAX_DATE_LENGTH).trim();
  const [, year, , month, day, hours = '0', minutes = '0', seconds = '0', rest = ''] =
    YEAR_FIRST.exec(trimmed) ?? [];
  if (year === undefined) return parseOtherFormats(trimmed);
  const at = dayOf(Number(year), Number(month), Number(day));
  const isValidTime = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) <= 60;
  if (at === null || !isValidTime) return at;
  const timeOfDayMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return at + timeOfDayMs - offsetMs(rest);
}

function offsetMs(rest: string): number {
  const [, sign, hours = '0', minutes = '0'] = OFFSET.exec(rest) ?? [];
  if (sign === undefined || Number(hours) > 14) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000);
}

/** 13-Aug-2026, 13.08.2026, 2026-Aug-13, August 13 2026, 20260813, Thu Aug 13 2026. */
function parseOtherFormats(text: string): number | null {
  const tokens = text.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
  const [first = '', second = '', third = '', ...others] = WEEKDAYS.has(tokens[0] ?? '') ? tokens.slice(1) : tokens;
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(first);
  if (compact) return dayOf(Number(compact[1]), Number(compact[2]), Number(compact[3]));
  if (/^\d{4}$/.test(first)) return dayOf(Number(first), monthOf(second), Number(third));
  // `Aug 13 04:00:00 2026` and `13 Aug 04:00:00 2026` have the year after the time.
  const year = Number(third.length === 4 ? third : others.find((token) => /^\d{4}$/.test(token)));
  const isMonthFirst = /^[a-z]/.test(first) || Number(second) > 12;
  return isMonthFirst
    ? dayOf(year, monthOf(first), Number(second))
    : dayOf(year, monthOf(second), Number(first));
}

/** 1 to 12, or NaN. */
function monthOf(token: string): number {
  if (/^\d{1,2}$/.test(token)) return Number(token);
  const index = MONTHS.indexOf(token.slice(0, 3));
  return index < 0 ? NaN : index + 1;
}

function dayOf(year: number, month: number, day: number): number | null {
  if (!(year >= EARLIEST_YEAR && year <= LATEST_YEAR)) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}
