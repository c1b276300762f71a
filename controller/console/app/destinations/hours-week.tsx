import { weekdayText } from '../maintenance/recurrence-text.ts';
import { WEEKDAYS } from '../maintenance/recurrence.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { useNow } from '../ui/time.tsx';
import { clockIn, DAY_MINUTES, openRanges, timeOfDay, type Hours } from './week.ts';

const HEIGHT = 10;
const TICKS = [0, 6, 12, 18, 24];

/** A week of the destination's hours: when alerts are sent, when not, and the current time there. */
export function HoursWeek({ hours }: { hours: Hours }) {
  const clock = clockIn(hours.timezone, useNow());
  const week = openRanges(hours);
  const isOpen = clock !== null && (week[clock.day] ?? []).some(([from, to]) => clock.minute >= from && clock.minute < to);
  const closed = hours.outside === 'hold' ? texts.held : texts.dropped;
  return (
    <figure class="week">
      <div class="week-picture" aria-hidden="true">
        {WEEKDAYS.map((day, index) => (
          <div key={day} class="week-day">
            <span>{weekdayText(day, 'short')}</span>
            <svg viewBox={`0 0 ${DAY_MINUTES} ${HEIGHT}`} preserveAspectRatio="none">
              <rect class={hours.outside} width={DAY_MINUTES} height={HEIGHT} />
              {(week[index] ?? []).map(([from, to]) => <rect key={from} class="sent" x={from} width={to - from} height={HEIGHT} />)}
              {TICKS.slice(1, -1).map((hour) => <path key={hour} class="tick" d={`M${hour * 60} 0v${HEIGHT}`} />)}
              {clock?.day === index && <path class="now" d={`M${clock.minute} 0v${HEIGHT}`} />}
            </svg>
          </div>
        ))}
        <div class="week-ticks">{TICKS.map((hour) => <span key={hour}>{hour}</span>)}</div>
        <div class="week-legend">
          <span><i class="sent" />{texts.sentThen}</span><span><i class={hours.outside} />{closed}</span><span><i class="now" />{texts.now}</span>
        </div>
      </div>
      <ul class="hidden">
        {WEEKDAYS.map((day, index) => {
          const ranges = (week[index] ?? []).map(([from, to]) => `${timeOfDay(from)}–${timeOfDay(to)}`).join(', ');
          return <li key={day}>{weekdayText(day)}: {ranges === '' ? closed : `${texts.sentThen} ${ranges}`}</li>;
        })}
      </ul>
      <figcaption class="hint">
        {clock !== null && texts.nowIn(`${weekdayText(WEEKDAYS[clock.day] ?? 'MO')} ${timeOfDay(clock.minute)}`, hours.timezone, isOpen ? texts.sentThen : closed)}
      </figcaption>
    </figure>
  );
}
