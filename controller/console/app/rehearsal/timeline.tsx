import { rehearsalTexts as texts } from '../texts/rehearsal.ts';
import { numberText, timeText } from '../ui/time.tsx';
import { countsOf, type Rehearsal } from './outcome.ts';

const HEIGHT = 20;
const STEP = 10;
const GAP = 2;

interface Props {
  rehearsal: Rehearsal;
  span: { from: number; to: number };
  days: number;
}

/** How many alerts each day had, with the settings of today and of the form. */
export function Timeline({ rehearsal: { alerts, actual }, span, days }: Props) {
  const rows = [
    { key: 'try-it-actual', label: texts.now, counts: countsOf(actual, span, days) },
    { key: 'try-it-changed', label: texts.changed, counts: countsOf(alerts, span, days) },
  ];
  const most = Math.max(1, ...rows.flatMap(({ counts }) => counts));
  return (
    <figure class="try-it-timeline" aria-label={texts.timeline}>
      {rows.map(({ key, label, counts }) => (
        <div key={key} class="try-it-row">
          <span>{label}</span>
          <svg class={key} viewBox={`0 0 ${days * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${summaryOf(counts, span)}`}>
            <line x1={0} x2={days * STEP} y1={HEIGHT} y2={HEIGHT} />
            {counts.map((count, day) => count > 0 && (
              <rect
                key={day} x={day * STEP} width={STEP - GAP} y={HEIGHT - (count / most) * HEIGHT} height={(count / most) * HEIGHT}
              >
                <title>{texts.day(dayText(span, day, counts.length), numberText(count))}</title>
              </rect>
            ))}
          </svg>
        </div>
      ))}
      <figcaption class="try-it-ends"><span>{timeText(span.from, 'tickDay')}</span><span>{timeText(span.to, 'tickDay')}</span></figcaption>
    </figure>
  );
}

function summaryOf(counts: readonly number[], span: Props['span']): string {
  const days = counts.flatMap((count, day) => (
    count > 0 ? [texts.day(dayText(span, day, counts.length), numberText(count))] : []
  ));
  return days.length === 0 ? '0' : days.join(', ');
}

function dayText({ from, to }: Props['span'], day: number, days: number): string {
  return timeText(from + ((day + 0.5) / days) * (to - from), 'tickDay');
}
