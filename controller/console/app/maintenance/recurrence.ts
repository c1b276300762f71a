export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];
export const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** A recurrence as the form shows it; `custom` is any rule that the choices don't cover. */
export type Recurrence =
  | { kind: 'once' }
  | { kind: 'custom'; rule: string }
  | { kind: Frequency; every: number; days: readonly Weekday[]; nth: number | null; count: number | null };

/** The RRULE of a choice; null if it doesn't repeat. */
export function ruleOf(chosen: Recurrence): string | null {
  if (chosen.kind === 'once') return null;
  if (chosen.kind === 'custom') return chosen.rule;
  const { kind, every, days, nth, count } = chosen;
  const byDay = days.length === 0 || (kind !== 'WEEKLY' && nth === null)
    ? [] : [`BYDAY=${days.map((day) => `${kind === 'MONTHLY' ? nth : ''}${day}`).join(',')}`];
  return [
    `FREQ=${kind}`, ...(every > 1 ? [`INTERVAL=${every}`] : []), ...byDay, ...(count === null ? [] : [`COUNT=${count}`]),
  ].join(';');
}

/** The choice for this rule; `custom` if there is none. */
export function choiceOf(rule: string | null): Recurrence {
  if (rule === null) return { kind: 'once' };
  const parts = new Map(rule.split(';').map((part) => part.split('=') as [string, string]));
  const kind = FREQUENCIES.find((one) => one === parts.get('FREQ'));
  const custom: Recurrence = { kind: 'custom', rule };
  if (kind === undefined) return custom;
  const days = (parts.get('BYDAY') ?? '').split(',').filter((day) => day !== '');
  const nths = new Set(days.map((day) => day.slice(0, -2)));
  const [nth = ''] = nths;
  const choice: Recurrence = {
    kind, every: Number(parts.get('INTERVAL') ?? 1), days: days.map((day) => day.slice(-2) as Weekday),
    nth: nth === '' ? null : Number(nth), count: parts.has('COUNT') ? Number(parts.get('COUNT')) : null,
  };
  const isSame = nths.size < 2 && sorted(ruleOf(choice)) === sorted(rule);
  return isSame ? choice : custom;
}

function sorted(rule: string | null): string {
  return (rule ?? '').split(';').sort().join(';');
}

/** The days shown for a month: whole weeks that start on Monday. `month` is as in 2027-03. */
export function daysOfMonth(month: string): string[] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const start = first.getTime() - ((first.getUTCDay() + 6) % 7) * DAY_MS;
  const next = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1);
  const weeks = Math.ceil((next - start) / (7 * DAY_MS));
  return Array.from({ length: weeks * 7 }, (_, at) => new Date(start + at * DAY_MS).toISOString().slice(0, 10));
}

/** Days are as in 2027-03-28. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

/** The month `by` months later. */
export function monthAway(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

const DAY_MS = 86_400_000;

/** Converts Unix ms to the value of a datetime-local input in this zone. */
export function toLocal(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23',
  });
  return format.format(at).replace(' ', 'T');
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

/**
 * The inverse, in Unix ms; NaN for an invalid time. For a repeated local time, the first; a skipped one is moved
 * forward.
 */
export function fromLocal(local: string, timeZone: string): number {
  const asUtc = LOCAL.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) return Number.NaN;
  const shiftAt = (at: number) => Date.parse(`${toLocal(at, timeZone)}:00Z`) - at;
  // The offset at a local time is one of those half a day around it.
  const candidates = [asUtc - shiftAt(asUtc - DAY_MS / 2), asUtc - shiftAt(asUtc + DAY_MS / 2)];
  return candidates.find((at) => toLocal(at, timeZone) === local) ?? (candidates[0] as number);
}
