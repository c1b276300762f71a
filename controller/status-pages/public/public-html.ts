import { html, type Html } from '../../pages/html.ts';
import type { Page } from '../../pages/layout.ts';
import type { TIMEFRAMES } from '../page.ts';
import { bars, shownDays, troubles } from './bars.ts';
import { voiceOf, type Language, type Voice } from './languages/language.ts';
import { maintenanceArticles } from './maintenance-html.ts';
import { framePage, type Look } from './page-frame.ts';
import { article } from './post-html.ts';
import type { PublicComponent, PublicPageView } from './public-view.ts';

/** The public page in one language. */
export function renderPublicPage(
  view: PublicPageView, look: Look, language: Language, { isPreview = false } = {},
): Page {
  const voice = voiceOf(language, view.timezone);
  const { texts } = voice;
  const [open, past] = [
    view.incidents.filter(({ status }) => status !== 'resolved'),
    view.incidents.filter(({ status }) => status === 'resolved'),
  ];
  const articles = (posts: typeof open) => posts.map((post) => article(post, view.subdomain, voice));
  const content = html`
${view.is_current ? null : html`<p class="old" role="note">${texts.notCurrent} ${voice.time(view.as_of)}</p>`}
<p class="overall ${view.overall}" role="status">${texts.overall[view.overall]}</p>
${open.length === 0 ? null : section(texts.current, articles(open))}
${view.maintenance.length === 0
    ? null : section(texts.states.maintenance, maintenanceArticles(view.maintenance, voice))}
${groupsOf(view.components).map(([name, components]) =>
    section(name ?? texts.systems, [list(components, view, voice)]))}
${section(texts.past, past.length === 0 ? [html`<p>${texts.none}</p>`] : articles(past))}
<p>${texts.asOf} ${voice.time(view.as_of)}<br>${texts.utc}</p>
`;
  const controls = subscribeForm(view, voice);
  return framePage({ view, look, voice, title: null, path: '', content, controls, isPreview });
}

/** What it sends leads to a page that says what happens next. */
function subscribeForm({ subdomain }: PublicPageView, { texts, language }: Voice): Html {
  return html`<form method="post" action="/status/${subdomain}/subscribe?lang=${language}"><h2>${texts.subscribe}</h2>
<label for="email">${texts.email}</label><p id="hint">${texts.subscribeHint}</p>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required aria-describedby="hint">
<button>${texts.send}</button></form>
`;
}

function section(title: string, content: Html[]): Html {
  return html`<section><h2>${title}</h2>${content}</section>
`;
}

/** Components outside all groups come first; groups in the order of their first component. */
function groupsOf(components: readonly PublicComponent[]): [string | null, PublicComponent[]][] {
  const groups = new Map<string | null, PublicComponent[]>();
  for (const component of components) {
    groups.set(component.group, [...(groups.get(component.group) ?? []), component]);
  }
  return [...groups].sort(([one], [other]) => Number(one !== null) - Number(other !== null));
}

function list(components: PublicComponent[], view: PublicPageView, voice: Voice): Html {
  return html`<ul class="components">${components.map((component) => item(component, view, voice))}
</ul>`;
}

function item(component: PublicComponent, view: PublicPageView, voice: Voice): Html {
  const { id, name, status, uptime = {}, response_time_ms: ms = null } = component;
  const { texts, percent, whole } = voice;
  const facts = (Object.entries(uptime) as [(typeof TIMEFRAMES)[number], number | null][])
    .map(([frame, value]) => `${texts.frames[frame]}: ${value === null ? texts.noData : percent(value)}`);
  if (ms !== null) facts.push(`${whole(ms)} ${texts.milliseconds}`);
  return html`
<li><a href="/status/${view.subdomain}/components/${id}?lang=${voice.language}">${name}</a> <span class="${status}">${texts.states[status]}</span>${history(component, view, voice)}${
  facts.length === 0 ? null : html`<p>${facts.join(' · ')}</p>`}</li>`;
}

/** The days as bars, which open what they show in words. */
function history(component: PublicComponent, view: PublicPageView, voice: Voice): Html | null {
  const days = shownDays(component, view);
  if (days.length === 0) return null;
  const troubled = troubles(days, voice);
  return html`<details><summary>${bars(days, voice)}</summary>${
    troubled.length === 0 ? html`<p>${voice.texts.noTrouble}</p>` : html`<ul>${troubled}</ul>`}</details>`;
}
