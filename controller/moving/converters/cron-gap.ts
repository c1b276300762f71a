const DAYS = 366 * 4 + 1;
const MINUTES_PER_DAY = 1440;
const NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * The longest time between two runs of a five-field cron schedule, s. Null if it is not one, or runs less
 * than twice in four years.
 */
export function longestGapSeconds(schedule: string): number | null {
  const fields = schedule.trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5) return null;
  const [minutes, hours, days, months, weekdays] = [
    valuesOf(fields[0], 0, 59), valuesOf(fields[1], 0, 23), valuesOf(fields[2], 1, 31),
    valuesOf(fields[3], 1, 12, NAMES), valuesOf(fields[4], 0, 7, WEEKDAYS),
  ];
  if (minutes === null || hours === null) return null;
  if (days === null || months === null || weekdays === null) return null;
  if (weekdays.has(7)) weekdays.add(0);
  // Two restricted fields mean either of them.
  const isEither = !fields[2]?.startsWith('*') && !fields[4]?.startsWith('*');
  const times = [...hours].flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute))
    .sort((one, other) => one - other);
  let [last, longest] = [-1, 0];
  for (let day = 0; day < DAYS; day += 1) {
    const date = new Date(Date.UTC(2024, 0, 1 + day));
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    if (!months.has(date.getUTCMonth() + 1)) continue;
    if (!(isEither ? isDay || isWeekday : isDay && isWeekday)) continue;
    for (const time of times) {
      const at = day * MINUTES_PER_DAY + time;
      if (last >= 0) longest = Math.max(longest, at - last);
      last = at;
    }
  }
  return longest === 0 ? null : longest * 60;
}

function valuesOf(field = '', min: number, max: number, names: readonly string[] = []): Set<number> | null {
  const values = new Set<number>();
  const numberIn = (text: string) => (names.includes(text) ? names.indexOf(text) + min : /^\d+$/.test(text) ? Number(text) : NaN);
  for (const part of field.split(',')) {
    const [range = '', step = '1', ...rest] = part.split('/');
    const [first = '', last] = range === '*' ? [String(min), String(max)] : range.split('-');
    const from = numberIn(first);
    const to = last !== undefined ? numberIn(last) : part.includes('/') ? max : from;
    const isValid = rest.length === 0 && /^[1-9]\d*$/.test(step) && from >= min && to <= max && from <= to;
    if (!isValid) return null;
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return values;
}
