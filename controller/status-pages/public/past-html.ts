import { html, type Html } from '../../pages/html.ts';
import type { PageDoc } from '../page.ts';
import type { Voice } from './languages/language.ts';
import { pastPost } from './post-html.ts';
import { pastDays } from './past-days.ts';
import type { PublicPageView } from './public-view.ts';

/** The incidents of the last days, by the day on which each began, in the time zone of the page. */
export function pastIncidents(
  view: PublicPageView, page: Pick<PageDoc, 'incident_history_days' | 'created_at'>, voice: Voice,
): Html {
  const days = pastDays(view, page, voice.dayOf);
  return html`<section><h2>${voice.texts.past}</h2><div class="past">${days.map(({ first, last, posts }) => html`
<div><h3>${voice.longDays(first, last)}</h3><div>${posts.length === 0
    ? html`<p class="faint">${voice.texts.none}</p>`
    : posts.map((post) => pastPost(post, view.subdomain, voice))}</div></div>`)}
</div></section>
`;
}
