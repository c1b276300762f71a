import { html, type Html } from '../../pages/html.ts';
import type { Page } from '../../pages/layout.ts';
import type { PageDoc } from '../page.ts';
import { componentSections } from './components-html.ts';
import { banner } from './icons.ts';
import { voiceOf, type Language } from './languages/language.ts';
import { maintenanceArticles } from './maintenance-html.ts';
import { framePage, type Look } from './page-frame.ts';
import { pastIncidents } from './past-html.ts';
import { openPost } from './post-html.ts';
import type { PublicPageView } from './public-view.ts';
import { subscribeControl } from './subscribe-html.ts';

/** The public page in one language. */
export function renderPublicPage(
  view: PublicPageView, page: Look & Pick<PageDoc, 'incident_history_days' | 'created_at'>, language: Language,
  { isPreview = false } = {},
): Page {
  const voice = voiceOf(language, view.timezone);
  const { texts } = voice;
  const open = view.incidents.filter(({ status }) => status !== 'resolved');
  const underWay = view.maintenance.filter(({ starts_at }) => starts_at <= view.as_of);
  const scheduled = view.maintenance.filter((each) => !underWay.includes(each));
  const content = html`
${view.is_current ? null : html`<p class="old" role="note">${texts.notCurrent} ${voice.time(view.as_of)}</p>`}
${banner(view.overall, texts.overall[view.overall])}
${section(texts.current, open.map((post) => openPost(post, view.subdomain, voice)))}
${section(texts.states.maintenance, maintenanceArticles(underWay, voice))}
${componentSections(view, voice)}
${section(texts.scheduled, maintenanceArticles(scheduled, voice))}
${pastIncidents(view, page, voice)}
<p class="faint">${texts.asOf} ${voice.time(view.as_of)}<br>${texts.utc}</p>
`;
  const controls = subscribeControl(view, voice);
  return framePage({ view, look: page, voice, title: null, path: '', content, controls, isPreview });
}

function section(title: string, content: Html[]): Html | null {
  return content.length === 0 ? null : html`<section><h2>${title}</h2>${content}</section>
`;
}
