import { timeText, percentText, msText } from '../ui/time.tsx';
import { overviewTexts } from '../texts/overview.ts';
import type { History } from './history.ts';
import type { Span } from './options.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Each bar is two units, and a gap of one. */
const STEP = 3;

const KINDS = { all: 'up', some: 'degraded', little: 'down', none: 'none' } as const;
type Kind = keyof typeof KINDS;

function kindOf(uptime: number | null): Kind {
  if (uptime === null) return 'none';
  return uptime === 100 ? 'all' : uptime >= 95 ? 'some' : 'little';
}

/** A bar for each hour or day; which one is under the pointer is told on hover. */
export function Bars({ of, span }: { of: History | undefined; span: Span }) {
  const count = span === '24h' ? 24 : 90;
  const bars = of === undefined || of.bars.length === 0 ? Array.from({ length: count }, () => null) : of.bars;
  const lines: Record<Kind, string> = { all: '', some: '', little: '', none: '' };
  for (const [at, uptime] of bars.entries()) lines[kindOf(uptime)] += `M${at * STEP} 0h${STEP - 1}`;
  const tell = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * count)));
    const title = event.currentTarget.querySelector('title');
    if (title !== null) title.textContent = barText(of, at, span);
  };
  return (
    <svg
      class="bars" viewBox={`0 -1 ${count * STEP - 1} 2`} preserveAspectRatio="none" role="img" aria-label={labelOf(of, span)}
      onMouseMove={tell}
    >
      <title>{labelOf(of, span)}</title>
      {(Object.keys(KINDS) as Kind[]).map((kind) => lines[kind] !== '' && <path key={kind} class={KINDS[kind]} d={lines[kind]} />)}
    </svg>
  );
}

function labelOf(of: History | undefined, span: Span): string {
  const uptime = of?.uptime ?? null;
  return overviewTexts.uptimeOf(overviewTexts[span], uptime === null ? overviewTexts.noData : percentText(uptime));
}

function barText(of: History | undefined, at: number, span: Span): string {
  if (of === undefined || of.bars.length === 0) return overviewTexts.noData;
  const begin = of.from + at * (span === '24h' ? HOUR_MS : DAY_MS);
  const when = span === '24h'
    ? timeText(begin, 'minute') : timeText(begin, 'utcDay');
  const uptime = of.bars[at] ?? null;
  return `${when}: ${uptime === null ? overviewTexts.noData : percentText(uptime)}`;
}

/** The response times of the last 24 hours as a line. */
export function Sparkline({ times }: { times: readonly (number | null)[] }) {
  const known = times.filter((ms) => ms !== null);
  if (known.length < 2) return <span class="spark" />;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const y = (ms: number) => (most === least ? 10 : 19 - ((ms - least) / (most - least)) * 18);
  let line = '';
  for (const [at, ms] of times.entries()) {
    if (ms !== null) line += `${line === '' || (times[at - 1] ?? null) === null ? 'M' : 'L'}${at * 4} ${y(ms).toFixed(1)}`;
  }
  const label = overviewTexts.timesOf(msText(least), msText(most));
  return (
    <svg class="spark" viewBox={`0 0 ${(times.length - 1) * 4} 20`} preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title><path d={line} />
    </svg>
  );
}
