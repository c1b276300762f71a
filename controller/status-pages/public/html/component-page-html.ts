import { html, type Html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/layout.ts';
import type { TIMEFRAMES } from '../../page.ts';
import { uptimeBars, shownDays } from './uptime-bars.ts';
import { responseTimeChart, type ResponseTime } from './response-time-chart.ts';
import { barLabels } from './component-list-html.ts';
import { banner } from './icons.ts';
import type { PageLocale } from '../languages/language.ts';
import { framePage, type Appearance } from './page-frame.ts';
import type { PublicComponent, PublicPageView } from '../public-view.ts';

const HOUR_MS = 3_600_000;

/** Mean response times of a component; null if the page shows none. */
export interface ComponentTimes {
  /** Of the last seven days. */
  hours: ResponseTime[];
  /** Of the last 90 days. */
  days: ResponseTime[];
}

/** The page of one component: its uptime, a table of its days, and its response times. */
export function renderComponentPage(
  view: PublicPageView, appearance: Appearance, component: PublicComponent, times: ComponentTimes | null,
  locale: PageLocale,
): Page {
  const { texts } = locale;
  const days = shownDays(component, view);
  return framePage({
    view, appearance, locale, title: component.name, path: `/components/${component.id}`,
    content: html`${banner(component.status, texts.states[component.status])}
${days.length === 0 ? null : html`<section><h2>${texts.availability}</h2>${uptimes(component, locale)}
<div class="card"><div class="bars">${uptimeBars(days, locale)}${barLabels(locale)}</div></div></section>`}
${times === null ? null : html`<section><h2>${texts.responseTime}</h2>${meanTime(component, locale)}
<div class="card">${responseTimeChart(times.hours, HOUR_MS, locale)}</div></section>`}
${days.length === 0 ? null : html`<section><h2>${texts.history}</h2><div class="card">${table(days, times, locale)}</div></section>`}
<p class="faint">${texts.asOf} ${locale.time(view.as_of)}</p>`,
  });
}

/** One per time frame that the page shows. */
function uptimes({ uptime = {} }: PublicComponent, { texts, percent }: PageLocale): Html {
  return figures((Object.entries(uptime) as [(typeof TIMEFRAMES)[number], number | null][]).map(
    ([frame, value]) => [texts.frames[frame], value === null ? texts.noData : percent(value)],
  ));
}

function meanTime(
  { response_time_ms: ms = null }: PublicComponent, { texts, whole }: PageLocale,
): Html | null {
  return ms === null ? null : figures([[texts.frames['24h'], `${whole(ms)} ${texts.milliseconds}`]]);
}

function figures(all: [name: string, value: string][]): Html {
  return html`<dl class="figures">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Newest first. */
function table(
  days: ReturnType<typeof shownDays>, times: ComponentTimes | null,
  { texts, day, percent, whole }: PageLocale,
): Html {
  const byDay = new Map(times?.days.map(({ at, ms }) => [at, ms]));
  const timeOf = (at: number) => {
    const ms = byDay.get(at) ?? null;
    return html`<td>${ms === null ? texts.noData : `${whole(ms)} ${texts.milliseconds}`}</td>`;
  };
  return html`<table><caption>${texts.utc}</caption><thead><tr><th scope="col">${texts.day}</th><th scope="col">${
    texts.availability}</th>${times === null ? null : html`<th scope="col">${texts.responseTime}</th>`}</tr></thead><tbody>${
    [...days].reverse().map(({ at, uptime }) => html`
<tr><th scope="row">${day(at)}</th><td>${uptime === null ? texts.noData : percent(uptime)}</td>${
    times === null ? null : timeOf(at)}</tr>`)}
</tbody></table>`;
}
