import { html, type Html } from '../../pages/html.ts';
import { bars, shownDays, troubles } from './bars.ts';
import { icon } from './icons.ts';
import type { Voice } from './languages/language.ts';
import { longestUptime, overallState } from './public-rules.ts';
import type { PublicComponent, PublicPageView } from './public-view.ts';

/** On a page of more components, groups are folded unless something in them is in trouble. */
const MOST_UNFOLDED = 30;

/** A list of the components outside all groups, then one of each group. */
export function componentSections(view: PublicPageView, voice: Voice): Html[] {
  const isLong = view.components.length > MOST_UNFOLDED;
  return groupsOf(view.components).map(([name, components]) => {
    const list = html`
<ul class="components">${components.map((component) => item(component, view, voice))}
</ul>`;
    return isLong && name !== null
      ? html`<details class="group"${isTroubled(components) ? html` open` : null}><summary><h2>${name}</h2>${
        groupState(components, voice)}</summary>${list}</details>
`
      : html`<section><h2>${name ?? voice.texts.systems}</h2>${list}</section>
`;
  });
}

function isTroubled(components: readonly PublicComponent[]): boolean {
  return components.some(({ status }) => status === 'down' || status === 'degraded');
}

function groupState(components: readonly PublicComponent[], { texts }: Voice): Html {
  const state = overallState(components);
  return html`<p class="${state}">${icon(state)}${texts.overall[state]}</p>`;
}

/** Components outside all groups come first; groups in the order of their first component. */
function groupsOf(components: readonly PublicComponent[]): [string | null, PublicComponent[]][] {
  const groups = new Map<string | null, PublicComponent[]>();
  for (const component of components) {
    const members = groups.get(component.group);
    if (members === undefined) groups.set(component.group, [component]);
    else members.push(component);
  }
  return [...groups].sort(([one], [other]) => Number(one !== null) - Number(other !== null));
}

function item(component: PublicComponent, view: PublicPageView, voice: Voice): Html {
  const { id, name, status } = component;
  const { texts, language } = voice;
  return html`
<li>${icon(status)}<a href="/status/${view.subdomain}/components/${id}?lang=${language}">${name}</a> <span class="${status}">${
    texts.states[status]}</span>${figure(component, voice)}${history(component, view, voice)}</li>`;
}

/** The uptime of the longest time frame that the page shows. */
function figure({ uptime }: PublicComponent, { texts, percent }: Voice): Html | null {
  const longest = longestUptime(uptime);
  if (longest === null) return null;
  const text = percent(longest.percent);
  return html` <b>${longest.frame === '90d' ? texts.uptime(text) : `${texts.frames[longest.frame]}: ${text}`}</b>`;
}

/** The days as bars, which open what they show in words. */
function history(component: PublicComponent, view: PublicPageView, voice: Voice): Html | null {
  const days = shownDays(component, view);
  if (days.length === 0) return null;
  const troubled = troubles(days, voice);
  return html`<details><summary>${bars(days, voice)}${barEnds(voice)}</summary>${
    troubled.length === 0 ? html`<p>${voice.texts.noTrouble}</p>` : html`<ul>${troubled}</ul>`}</details>`;
}

/** What the first and the last bar stand for. */
export function barEnds({ texts }: Voice): Html {
  return html`<i>${texts.daysAgo}</i><i>${texts.today}</i>`;
}
