import { html, type Html } from '../../../pages/html.ts';
import { uptimeBars, shownDays, imperfectDays } from './uptime-bars.ts';
import { icon } from './icons.ts';
import type { PageLocale } from '../languages/language.ts';
import { headlineUptime, overallState } from '../public-rules.ts';
import type { PublicComponent, PublicPageView } from '../public-view.ts';

/** On a page with more components, groups are collapsed unless one of theirs is down or degraded. */
const MAX_UNFOLDED_COMPONENTS = 30;

/** A list of the components outside all groups, then one list per group. */
export function componentSections(view: PublicPageView, locale: PageLocale): Html[] {
  const isLong = view.components.length > MAX_UNFOLDED_COMPONENTS;
  return groupsOf(view.components).map(([name, components]) => {
    const list = html`
<ul class="components">${components.map((component) => item(component, view, locale))}
</ul>`;
    return isLong && name !== null
      ? html`<details class="group"${isImpaired(components) ? html` open` : null}><summary><h2>${name}</h2>${
        groupState(components, locale)}</summary>${list}</details>
`
      : html`<section><h2>${name ?? locale.texts.systems}</h2>${list}</section>
`;
  });
}

function isImpaired(components: readonly PublicComponent[]): boolean {
  return components.some(({ status }) => status === 'down' || status === 'degraded');
}

function groupState(components: readonly PublicComponent[], { texts }: PageLocale): Html {
  const state = overallState(components);
  return html`<p class="${state}">${icon(state)}${texts.overall[state]}</p>`;
}

/** Components outside all groups come first; groups follow in the order of their first component. */
function groupsOf(components: readonly PublicComponent[]): [string | null, PublicComponent[]][] {
  const groups = new Map<string | null, PublicComponent[]>();
  for (const component of components) {
    const members = groups.get(component.group);
    if (members === undefined) groups.set(component.group, [component]);
    else members.push(component);
  }
  return [...groups].sort(([one], [other]) => Number(one !== null) - Number(other !== null));
}

function item(component: PublicComponent, view: PublicPageView, locale: PageLocale): Html {
  const { id, name, status } = component;
  const { texts, language } = locale;
  return html`
<li>${icon(status)}<a href="/status/${view.subdomain}/components/${id}?lang=${language}">${name}</a> <span class="${status}">${
    texts.states[status]}</span>${figure(component, locale)}${history(component, view, locale)}</li>`;
}

/** The uptime of the longest time frame that the page shows. */
function figure({ uptime }: PublicComponent, { texts, percent }: PageLocale): Html | null {
  const headline = headlineUptime(uptime);
  if (headline === null) return null;
  const text = percent(headline.percent);
  return html` <b>${headline.frame === '90d' ? texts.uptime(text) : `${texts.frames[headline.frame]}: ${text}`}</b>`;
}

/** The days as bars, with an expandable description in text. */
function history(component: PublicComponent, view: PublicPageView, locale: PageLocale): Html | null {
  const days = shownDays(component, view);
  if (days.length === 0) return null;
  const imperfect = imperfectDays(days, locale);
  return html`<details><summary>${uptimeBars(days, locale)}${barLabels(locale)}</summary>${
    imperfect.length === 0 ? html`<p>${locale.texts.noDowntime}</p>` : html`<ul>${imperfect}</ul>`}</details>`;
}

/** Labels of the first and the last bar. */
export function barLabels({ texts }: PageLocale): Html {
  return html`<i>${texts.daysAgo}</i><i>${texts.today}</i>`;
}
