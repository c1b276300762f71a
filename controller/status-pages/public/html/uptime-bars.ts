import { html, type Html } from '../../../pages/html.ts';
import type { PageLocale } from '../languages/language.ts';
import { dayState, type DayState } from '../public-rules.ts';
import type { PublicComponent, PublicPageView } from '../public-view.ts';

const DAY_MS = 86_400_000;
/** Days that get a title and a list entry; the component's own page has all. */
const MAX_LISTED_DAYS = 20;
/** Each day is a bar of three units and a gap of one, drawn as a dashed line. */
const DAY_WIDTH = 4;

const CLASSES: Record<DayState, string> = { operational: 'u', degraded: 'g', down: 'd', unknown: 'n' };

export interface ShownDay {
  /** Its start in UTC, Unix ms. */
  at: number;
  uptime: number | null;
  state: DayState;
}

/** The days of a component, oldest first; none if the page shows no uptime. */
export function shownDays({ daily_uptime }: PublicComponent, view: PublicPageView): ShownDay[] {
  const first = Date.parse(view.first_day);
  return (daily_uptime ?? []).map((uptime, index) => ({
    at: first + index * DAY_MS, uptime, state: dayState(uptime, view.uptime_thresholds),
  }));
}

interface Run extends ShownDay {
  /** Index of its first day. */
  from: number;
  length: number;
}

/** A bar for each day. Days with failures have a title, unless there are too many. */
export function uptimeBars(days: readonly ShownDay[], locale: PageLocale): Html {
  const runs = runsOf(days, hasSameText);
  const impaired = runs.filter(({ state }) => state === 'degraded' || state === 'down');
  const isTitled = impaired.length <= MAX_LISTED_DAYS;
  const plain = isTitled ? runs.filter((run) => !impaired.includes(run)) : runsOf(days, hasSameState);
  const states = [...new Set(plain.map(({ state }) => state))];
  const width = days.length * DAY_WIDTH - 1;
  return html`<svg viewBox="0 -1 ${width} 2" preserveAspectRatio="none" role="img" aria-label="${
    label(days, locale)}">${states.map((state) =>
    html`<path class="${CLASSES[state]}" d="${plain.filter((run) => run.state === state).map(lineOf).join('')}"/>`)}${
    isTitled ? impaired.map((run) =>
      html`<path class="${CLASSES[run.state]}" d="${lineOf(run)}"><title>${dayText(run, locale)}</title></path>`) : null
  }</svg>`;
}

/** Days with failures and time ranges without data, newest first; the last entry says if there are more. */
export function imperfectDays(days: readonly ShownDay[], locale: PageLocale): Html[] {
  const all = runsOf(days, hasSameText).filter(({ uptime }) => uptime === null || uptime < 100).reverse();
  const listed = all.slice(0, MAX_LISTED_DAYS).map((run) => html`<li>${dayText(run, locale)}</li>`);
  return all.length > MAX_LISTED_DAYS ? [...listed, html`<li>…</li>`] : listed;
}

/** Merges adjacent days that are the same. */
function runsOf(days: readonly ShownDay[], isSame: (one: ShownDay, next: ShownDay) => boolean): Run[] {
  const runs: Run[] = [];
  for (const [from, day] of days.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && isSame(last, day)) last.length += 1;
    else runs.push({ from, length: 1, ...day });
  }
  return runs;
}

/** True for two days without data, or two days without failures. */
function hasSameText({ uptime }: ShownDay, next: ShownDay): boolean {
  return uptime === next.uptime && (uptime === null || uptime === 100);
}

function hasSameState({ state }: ShownDay, next: ShownDay): boolean {
  return state === next.state;
}

function lineOf({ from, length }: Run): string {
  return `M${from * DAY_WIDTH} 0h${length * DAY_WIDTH - 1}`;
}

function dayText({ at, length, uptime }: Run, { day, percent, texts }: PageLocale): string {
  const last = at + (length - 1) * DAY_MS;
  const span = length === 1 ? day(at) : `${day(at)} – ${day(last)}`;
  return `${span}: ${uptime === null ? texts.noData : percent(uptime)}`;
}

/** The mean uptime of the days with monitored time. */
function label(days: readonly ShownDay[], { texts, percent }: PageLocale): string {
  const uptimes = days.flatMap(({ uptime }) => uptime ?? []);
  const mean = uptimes.reduce((sum, uptime) => sum + uptime, 0) / uptimes.length;
  return `${texts.frames['90d']}: ${uptimes.length === 0 ? texts.noData : percent(mean)}`;
}
