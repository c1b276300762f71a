import { html, type Html } from '../../pages/html.ts';
import type { Voice } from './languages/language.ts';
import { dayState, type DayState } from './public-rules.ts';
import type { PublicComponent, PublicPageView } from './public-view.ts';

const DAY_MS = 86_400_000;
/** Days that are listed and titled; the page of the component has all. */
const MOST_LISTED = 20;
/** Each day is a bar of three units and a gap of one: the style draws lines with such dashes. */
const STEP = 4;

const CLASSES: Record<DayState, string> = { operational: 'u', degraded: 'g', down: 'd', unknown: 'n' };

export interface ShownDay {
  /** Its beginning in UTC, Unix ms. */
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

/** A bar for each day; those with trouble have a title, unless they are many. */
export function bars(days: readonly ShownDay[], voice: Voice): Html {
  const runs = runsOf(days, isSaidAlike);
  const troubled = runs.filter(({ state }) => state === 'degraded' || state === 'down');
  const isTitled = troubled.length <= MOST_LISTED;
  const plain = isTitled ? runs.filter((run) => !troubled.includes(run)) : runsOf(days, isDrawnAlike);
  const states = [...new Set(plain.map(({ state }) => state))];
  const width = days.length * STEP - 1;
  return html`<svg viewBox="0 -1 ${width} 2" preserveAspectRatio="none" role="img" aria-label="${
    label(days, voice)}">${states.map((state) =>
    html`<path class="${CLASSES[state]}" d="${plain.filter((run) => run.state === state).map(lineOf).join('')}"/>`)}${
    isTitled ? troubled.map((run) =>
      html`<path class="${CLASSES[run.state]}" d="${lineOf(run)}"><title>${dayText(run, voice)}</title></path>`) : null
  }</svg>`;
}

/** Days with trouble and stretches without data, newest first; at the end says if there are more. */
export function troubles(days: readonly ShownDay[], voice: Voice): Html[] {
  const all = runsOf(days, isSaidAlike).filter(({ uptime }) => uptime === null || uptime < 100).reverse();
  const listed = all.slice(0, MOST_LISTED).map((run) => html`<li>${dayText(run, voice)}</li>`);
  return all.length > MOST_LISTED ? [...listed, html`<li>…</li>`] : listed;
}

/** Neighbours that are alike, in one. */
function runsOf(days: readonly ShownDay[], areAlike: (one: ShownDay, next: ShownDay) => boolean): Run[] {
  const runs: Run[] = [];
  for (const [from, day] of days.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && areAlike(last, day)) last.length += 1;
    else runs.push({ from, length: 1, ...day });
  }
  return runs;
}

/** Days without data, and those in which nothing failed. */
function isSaidAlike({ uptime }: ShownDay, next: ShownDay): boolean {
  return uptime === next.uptime && (uptime === null || uptime === 100);
}

function isDrawnAlike({ state }: ShownDay, next: ShownDay): boolean {
  return state === next.state;
}

function lineOf({ from, length }: Run): string {
  return `M${from * STEP} 0h${length * STEP - 1}`;
}

function dayText({ at, length, uptime }: Run, { day, percent, texts }: Voice): string {
  const last = at + (length - 1) * DAY_MS;
  const span = length === 1 ? day(at) : `${day(at)} – ${day(last)}`;
  return `${span}: ${uptime === null ? texts.noData : percent(uptime)}`;
}

/** The mean of the days that were watched. */
function label(days: readonly ShownDay[], { texts, percent }: Voice): string {
  const known = days.flatMap(({ uptime }) => uptime ?? []);
  const mean = known.reduce((sum, uptime) => sum + uptime, 0) / known.length;
  return `${texts.frames['90d']}: ${known.length === 0 ? texts.noData : percent(mean)}`;
}
