import type { Conversion, Placed } from '../conversion.ts';
import { isTrue, jsonOf, listOf, numberOf, textOf, type Fields } from '../loose.ts';
import type { KumaFile } from './kuma-file.ts';
import { durationBetween, windowTimes, type Repetition } from './window-times.ts';

const CRON = /^(\d{1,2}) (\d{1,2}) (\*|[\d,]+) \* (\*|[\d,]+)$/;

/** Adds the maintenance of a database. `placed` and `pages` are in the document, by id. */
export function addKumaMaintenance(
  file: KumaFile, placed: ReadonlyMap<number, Placed>, pages: ReadonlyMap<number, string>, into: Conversion,
): void {
  const { tables } = file;
  for (const row of tables.get('maintenance') ?? []) {
    const title = textOf(row['title']);
    const linked = (table: string, column: string) => (tables.get(table) ?? [])
      .filter((one) => numberOf(one['maintenance_id']) === numberOf(row['id'])).map((one) => numberOf(one[column]) ?? 0);
    const times = timesOf(row, file.timezone);
    if (!isTrue(row['active'])) into.skip(title, 'It is not active.');
    else if (times === null) into.skip(title, `Farwatch has no schedule like this one: ${textOf(row['strategy'])} ${textOf(row['cron'])}.`);
    else {
      const ids = linked('monitor_maintenance', 'monitor_id');
      const monitors = ids.flatMap((id) => placed.get(id)?.name ?? []);
      const notes = monitors.length < ids.length ? [`${ids.length - monitors.length} of its monitors are left out.`] : [];
      into.addWindow({
        title, description: textOf(row['description']).slice(0, 5000) || null, ...times, monitors,
        status_pages: linked('maintenance_status_page', 'status_page_id').flatMap((id) => pages.get(id) ?? []),
      }, notes);
    }
  }
}

function timesOf(row: Fields, serverTimezone: string) {
  const own = textOf(row['timezone']);
  const timezone = own === '' || own === 'SAME_AS_SERVER' ? serverTimezone : own;
  const [from = '', startTime = ''] = textOf(row['start_date']).split(/[ T]/);
  const [lastDay = '', endTime = ''] = textOf(row['end_date']).split(/[ T]/);
  if (textOf(row['strategy']) === 'single') {
    const durationMs = Date.parse(`${lastDay}T${endTime}Z`) - Date.parse(`${from}T${startTime}Z`);
    return windowTimes({ from, time: startTime, durationMs, timezone, repeats: { kind: 'once' } });
  }
  const cron = CRON.exec(textOf(row['cron']));
  const isCron = textOf(row['strategy']) === 'cron';
  const repeats = isCron ? repetitionOf(cron) : ownRepetition(row);
  const time = isCron && cron !== null ? `${cron[2]}:${cron[1]?.padStart(2, '0')}` : textOf(row['start_time']);
  const durationMs = isCron ? (numberOf(row['duration']) ?? 0) * 1000 : durationBetween(time, textOf(row['end_time']));
  const until = Date.parse(`${lastDay}T${endTime || '23:59:59'}Z`);
  if (repeats === null || durationMs === null) return null;
  return windowTimes({
    ...(from === '' ? {} : { from }), time, durationMs, timezone, repeats, ...(Number.isNaN(until) ? {} : { until }),
  });
}

function ownRepetition(row: Fields): Repetition | null {
  switch (textOf(row['strategy'])) {
    case 'recurring-interval': return { kind: 'daily', every: numberOf(row['interval_day']) ?? 1 };
    case 'recurring-weekday': return weekly(listOf(jsonOf(row['weekdays'])));
    case 'recurring-day-of-month': {
      const last = (day: unknown) => /^lastDay(\d)$/.exec(textOf(day))?.[1];
      return monthly(listOf(jsonOf(row['days_of_month'])).map((day) => (last(day) === undefined ? day : -Number(last(day)))));
    }
    default: return null;
  }
}

/** Of one time a day, on some days of the week or of the month. */
function repetitionOf(cron: RegExpExecArray | null): Repetition | null {
  const [, , , days = '', weekdays = ''] = cron ?? [];
  if (cron === null || (days !== '*' && weekdays !== '*')) return null;
  if (days === '*' && weekdays === '*') return { kind: 'daily' };
  return days === '*' ? weekly(weekdays.split(',')) : monthly(days.split(','));
}

function weekly(sent: readonly unknown[]): Repetition | null {
  const days = numbers(sent).map((day) => (day === 0 ? 7 : day)).filter((day) => day >= 1 && day <= 7);
  return days.length === 0 ? null : { kind: 'weekly', days };
}

function monthly(sent: readonly unknown[]): Repetition | null {
  const days = numbers(sent).filter((day) => day !== 0 && day >= -31 && day <= 31);
  return days.length === 0 ? null : { kind: 'monthly', days };
}

function numbers(sent: readonly unknown[]): number[] {
  return [...new Set(sent.map(numberOf))].filter((one) => one !== null && Number.isInteger(one)) as number[];
}
