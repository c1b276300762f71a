import { timeText, percentText, msText } from '../ui/time.tsx';
import { overviewTexts } from '../texts/overview.ts';
import type { History } from './history.ts';
import type { Span } from './options.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Each bar is two units, with a gap of one. */
const STEP = 3;

const KINDS = { all: 'up', some: 'degraded', little: 'down', none: 'none' } as const;
type Kind = keyof typeof KINDS;

function kindOf(uptime: number | null): Kind {
  if (uptime === null) return 'none';
  return uptime === 100 ? 'all' : uptime >= 95 ? 'some' : 'little';
}

/** A bar per hour or day; hovering shows its details. */
export function Bars({ history, span }: { history: History | undefined; span: Span }) {
  const count = span === '24h' ? 24 : 90;
  const bars = history === undefined || history.bars.length === 0 ? Array.from({ length: count }, () => null) : history.bars;
  const lines: Record<Kind, string> = { all: '', some: '', little: '', none: '' };
  for (const [at, uptime] of bars.entries()) lines[kindOf(uptime)] += `M${at * STEP} 0h${STEP - 1}`;
  const updateTitle = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * count)));
    const title = event.currentTarget.querySelector('title');
    if (title !== null) title.textContent = barText(history, at, span);
  };
  return (
    <svg
      class="bars" viewBox={`0 -1 ${count * STEP - 1} 2`} preserveAspectRatio="none" role="img" aria-label={labelOf(history, span)}
      onMouseMove={updateTitle}
    >
      <title>{labelOf(history, span)}</title>
      {(Object.keys(KINDS) as Kind[]).map((kind) => lines[kind] !== '' && <path key={kind} class={KINDS[kind]} d={lines[kind]} />)}
    </svg>
  );
}

function labelOf(history: History | undefined, span: Span): string {
  const uptime = history?.uptime ?? null;
  return overviewTexts.uptimeOf(overviewTexts[span], uptime === null ? overviewTexts.noData : percentText(uptime));
}

function barText(history: History | undefined, at: number, span: Span): string {
  if (history === undefined || history.bars.length === 0) return overviewTexts.noData;
  const start = history.from + at * (span === '24h' ? HOUR_MS : DAY_MS);
  const when = span === '24h'
    ? timeText(start, 'minute') : timeText(start, 'utcDay');
  const uptime = history.bars[at] ?? null;
  return `${when}: ${uptime === null ? overviewTexts.noData : percentText(uptime)}`;
}

/** A line of the last 24 hours' response times. */
export function Sparkline({ times }: { times: readonly (number | null)[] }) {
  const values = times.filter((ms) => ms !== null);
  if (values.length < 2) return <span class="spark" />;
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const y = (ms: number) => (max === min ? 10 : 19 - ((ms - min) / (max - min)) * 18);
  let line = '';
  for (const [at, ms] of times.entries()) {
    if (ms !== null) line += `${line === '' || (times[at - 1] ?? null) === null ? 'M' : 'L'}${at * 4} ${y(ms).toFixed(1)}`;
  }
  const label = overviewTexts.timesOf(msText(min), msText(max));
  return (
    <svg class="spark" viewBox={`0 0 ${(times.length - 1) * 4} 20`} preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title><path d={line} />
    </svg>
  );
}
