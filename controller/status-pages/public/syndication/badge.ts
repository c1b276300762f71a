import { html } from '../../../pages/html.ts';
import { dayState, type DayState } from '../public-rules.ts';
import type { OverallState, PublicComponent, PublicPageView } from '../public-view.ts';
import type { PageLocale } from '../languages/language.ts';

/** White text on each has a contrast of at least 4.5 to 1. */
const COLORS = { good: '#1a7f37', warning: '#8a5a00', bad: '#b3261e', none: '#57606a' } as const;
type Color = keyof typeof COLORS;

const PAGE_COLORS: Record<OverallState, Color> = {
  operational: 'good', degraded: 'warning', partial_outage: 'warning', major_outage: 'bad',
  maintenance: 'warning', unknown: 'none',
};
const COMPONENT_COLORS: Record<PublicComponent['status'], Color> = {
  up: 'good', degraded: 'warning', maintenance: 'warning', down: 'bad', paused: 'none', unknown: 'none',
};
const UPTIME_COLORS: Record<DayState, Color> = {
  operational: 'good', degraded: 'warning', down: 'bad', unknown: 'none',
};

/** The state of the whole page. */
export function pageBadge({ name, overall }: PublicPageView, { texts }: PageLocale): string {
  return badge(name, texts.overall[overall], COLORS[PAGE_COLORS[overall]]);
}

/** The state of a component, or its uptime over the days that the page shows. */
export function componentBadge(
  view: PublicPageView, { name, status, daily_uptime }: PublicComponent, kind: 'status' | 'uptime', locale: PageLocale,
): string {
  const { texts, percent } = locale;
  if (kind === 'status') return badge(name, texts.states[status], COLORS[COMPONENT_COLORS[status]]);
  const uptimes = (daily_uptime ?? []).flatMap((uptime) => uptime ?? []);
  const sum = uptimes.reduce((total, uptime) => total + uptime, 0);
  const mean = uptimes.length === 0 ? null : sum / uptimes.length;
  const text = mean === null ? texts.noData : percent(mean);
  return badge(`${name} · ${texts.frames['90d']}`, text, COLORS[UPTIME_COLORS[dayState(mean, view.uptime_thresholds)]]);
}

const PADDING = 8;
const HEIGHT = 22;

/** An image with two fields. Text keeps its computed width, whatever font the reader has. */
function badge(label: string, value: string, color: string): string {
  const [left, right] = [widthOf(label), widthOf(value)];
  const [middle, width] = [left + 2 * PADDING, left + right + 4 * PADDING];
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${label}: ${value}"><title>${label}: ${value}</title>
<rect width="${width}" height="${HEIGHT}" rx="4" fill="${color}"/><path d="M4 0H${middle}V${HEIGHT}H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="#32383f"/>
<g fill="#fff" font-family="Verdana,'DejaVu Sans',sans-serif" font-size="12"><text x="${PADDING}" y="15" textLength="${left}">${label}</text><text x="${middle + PADDING}" y="15" textLength="${right}">${value}</text></g></svg>
`.text;
}

/** Approximate width of a text in the badge's font, pixels; Chinese and Japanese characters are square. */
function widthOf(text: string): number {
  return Math.ceil([...text].reduce((sum, char) => sum + (char >= '\u2e80' ? 12 : 7.2), 0));
}
