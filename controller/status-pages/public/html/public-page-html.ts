import { html, type Html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/layout.ts';
import type { PageDoc } from '../../page.ts';
import { componentSections } from './component-list-html.ts';
import { banner } from './icons.ts';
import { pageLocale, type Language } from '../languages/language.ts';
import { maintenanceArticles } from './maintenance-html.ts';
import { framePage, type Appearance } from './page-frame.ts';
import { pastIncidents } from './past-incidents-html.ts';
import { openPost } from './post-html.ts';
import type { PublicPageView } from '../public-view.ts';
import { subscribeControl } from './subscribe-html.ts';

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
