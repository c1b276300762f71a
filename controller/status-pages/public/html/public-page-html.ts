import { html, type Html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/layout.ts';
import type { PageDoc } from '../../page.ts';
import { type Language, pageLocale, type PageLocale } from '../languages/language.ts';
import type { PublicMaintenance, PublicPageView } from '../public-view.ts';
import { componentSections } from './component-list-html.ts';
import { banner } from './icons.ts';
import { type Appearance, framePage } from './page-frame.ts';
import { openPost, pastPost } from './post-html.ts';
import { groupPostsByDay } from './posts-by-day.ts';

/** The public page in one language. */
export function renderPublicPage(
  view: PublicPageView, page: Appearance & Pick<PageDoc, 'incident_history_days' | 'created_at'>, language: Language,
  { isPreview = false } = {},
): Page {
  const locale = pageLocale(language, view.timezone);
  const { texts } = locale;
  const ongoing = view.incidents.filter(({ status }) => status !== 'resolved');
  const inProgress = view.maintenance.filter(({ starts_at }) => starts_at <= view.as_of);
  const scheduled = view.maintenance.filter((each) => !inProgress.includes(each));
  const content = html`
${view.is_current ? null : html`<p class="old" role="note">${texts.notCurrent} ${locale.time(view.as_of)}</p>`}
${banner(view.overall, texts.overall[view.overall])}
${section(texts.current, ongoing.map((post) => openPost(post, view.subdomain, locale)))}
${section(texts.states.maintenance, maintenanceArticles(inProgress, locale))}
${componentSections(view, locale)}
${section(texts.scheduled, maintenanceArticles(scheduled, locale))}
${pastIncidents(view, page, locale)}
<p class="faint">${texts.asOf} ${locale.time(view.as_of)}<br>${texts.utc}</p>
`;
  const controls = subscribeControl(view, locale);
  return framePage({ view, appearance: page, locale, title: null, path: '', content, controls, isPreview });
}

function section(title: string, content: Html[]): Html | null {
  return content.length === 0 ? null : html`<section><h2>${title}</h2>${content}</section>
`;
}

/** Current and upcoming maintenance, with its time and the affected components. */
export function maintenanceArticles(
  windows: readonly PublicMaintenance[], { texts, timeRange, list }: PageLocale,
): Html[] {
  return windows.map(({ title, description, affected, starts_at, ends_at }) => html`<article class="open maintenance"><h3>${title}</h3>
<p>${timeRange(starts_at, ends_at)}</p>
${affected.length === 0 ? null : html`<p class="faint">${texts.affected} ${list(affected)}</p>`}
${description === null ? null : html`<p class="text">${description}</p>`}</article>
`);
}

/** Recent incidents by the day on which they began, in the page's time zone. */
export function pastIncidents(
  view: PublicPageView, page: Pick<PageDoc, 'incident_history_days' | 'created_at'>, locale: PageLocale,
): Html {
  const days = groupPostsByDay(view, page, locale.dayOf);
  return html`<section><h2>${locale.texts.pastIncidents}</h2><div class="past">${days.map(({ first, last, posts }) => html`
<div><h3>${locale.longDays(first, last)}</h3><div>${posts.length === 0
    ? html`<p class="faint">${locale.texts.none}</p>`
    : posts.map((post) => pastPost(post, view.subdomain, locale))}</div></div>`)}
</div></section>
`;
}

/**
 * A button that opens the subscription form, also without JavaScript. Submitting it opens a page with the
 * next step.
 */
export function subscribeControl({ subdomain }: Pick<PublicPageView, 'subdomain'>, { texts, language }: PageLocale): Html {
  return html`<details class="subscribe"><summary>${texts.send}</summary>
<form aria-labelledby="subscribe-title" method="post" action="/status/${subdomain}/subscribe?lang=${language}">
<p id="subscribe-title" class="title">${texts.subscribe}</p>
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required aria-describedby="hint">
<p id="hint">${texts.subscribeHint}</p><button>${texts.send}</button></form></details>
`;
}
