import { html, type Html } from '../../../pages/html.ts';
import type { PageDoc } from '../../page.ts';
import type { PageLocale } from '../languages/language.ts';
import { pastPost } from './post-html.ts';
import { groupPostsByDay } from './posts-by-day.ts';
import type { PublicPageView } from '../public-view.ts';

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
