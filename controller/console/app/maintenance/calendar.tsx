import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { locale } from '../preferences/language.ts';
import { useKeys } from '../shell/keys.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { Button } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { timeText } from '../ui/time.tsx';
import { weekdayText } from './recurrence-text.ts';
import { dayAfter, daysOfMonth, fromLocal, monthAway, toLocal, WEEKDAYS } from './recurrence.ts';
import { projectId } from './windows.ts';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const MAX_SHOWN_PER_DAY = 4;

/** Maintenance in a month, in the viewer's time zone. */
export function Calendar({ month: requestedMonth }: { month: string | undefined }) {
  const { route } = useLocation();
  const today = toLocal(Date.now(), ZONE).slice(0, 10);
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(requestedMonth ?? '') ? (requestedMonth as string) : today.slice(0, 7);
  const days = daysOfMonth(month);
  const [from, to] = [startOfDay(days[0] as string), startOfDay(dayAfter(days.at(-1) as string))];
  const path = { projectId: projectId() };
  const query = useQuery({
    queryKey: ['maintenance', path.projectId, 'occurrences', month],
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/maintenance-windows/occurrences', {
      params: { path, query: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } },
    })),
  });
  const showMonth = (by: number) => route(href(`/maintenance?view=calendar&month=${monthAway(month, by)}`));
  useKeys([
    { keys: 'ArrowLeft', text: texts.previousMonth, run: () => showMonth(-1) },
    { keys: 'ArrowRight', text: texts.nextMonth, run: () => showMonth(1) },
    { keys: 't', text: texts.today, run: () => route(href('/maintenance?view=calendar')) },
  ]);
  const name = new Date(`${month}-15T12:00:00Z`).toLocaleDateString(locale.value, {
    month: 'long', year: 'numeric', timeZone: 'UTC',
  });
  const all = query.data?.occurrences ?? [];
  return (
    <section class="calendar" aria-label={texts.calendar}>
      <header class="section-head">
        <h2 aria-live="polite">{name}</h2>
        <div class="actions">
          <Button aria-label={texts.previousMonth} onClick={() => showMonth(-1)}>←</Button>
          <Button onClick={() => route(href('/maintenance?view=calendar'))}>{texts.today}</Button>
          <Button aria-label={texts.nextMonth} onClick={() => showMonth(1)}>→</Button>
        </div>
      </header>
      <ErrorNote error={query.error} />
      <div class="table-wrap">
        <table>
          <thead>
            <tr>{WEEKDAYS.map((day) => <th key={day} scope="col"><abbr title={weekdayText(day)}>{weekdayText(day, 'short')}</abbr></th>)}</tr>
          </thead>
          <tbody>
            {Array.from({ length: days.length / 7 }, (_, week) => (
              <tr key={week}>
                {days.slice(week * 7, week * 7 + 7).map((day) => (
                  <Day
                    key={day} day={day} isToday={day === today} isOtherMonth={!day.startsWith(month)}
                    occurrences={all.filter(overlaps(day))}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Unix ms. A day has 23 or 25 hours when the clocks change. */
function startOfDay(day: string): number {
  return fromLocal(`${day}T00:00`, ZONE);
}

interface Occurrence {
  maintenance_window_id: string;
  title: string;
  starts_at: string;
  ends_at: string;
}

function overlaps(day: string) {
  const [start, end] = [startOfDay(day), startOfDay(dayAfter(day))];
  return ({ starts_at: from, ends_at: to }: Occurrence) => Date.parse(from) < end && Date.parse(to) > start;
}

interface DayProps { day: string; isToday: boolean; isOtherMonth: boolean; occurrences: Occurrence[] }

function Day({ day, isToday, isOtherMonth, occurrences }: DayProps) {
  return (
    <td class={`${isToday ? 'today' : ''} ${isOtherMonth ? 'other' : ''}`}>
      <time dateTime={day} aria-current={isToday ? 'date' : undefined}>{Number(day.slice(8))}</time>
      {occurrences.length > 0 && (
        <ul>
          {occurrences.slice(0, MAX_SHOWN_PER_DAY).map((one) => (
            <li key={one.maintenance_window_id + one.starts_at}>
              <a href={href(`/maintenance/${one.maintenance_window_id}`)} title={`${timeText(one.starts_at)} – ${timeText(one.ends_at)}`}>
                {timeText(one.starts_at, 'clock')} {one.title}
              </a>
            </li>
          ))}
          {occurrences.length > MAX_SHOWN_PER_DAY && <li class="faint">{texts.more(occurrences.length - MAX_SHOWN_PER_DAY)}</li>}
        </ul>
      )}
    </td>
  );
}
