import type { IncomingMessage } from 'node:http';
import { CompressedResponse } from '../../http/responses/compressed-response.ts';
import { basePathOf, SECURITY_HEADERS } from '../../http/routing/exchange.ts';
import { renderedComponent, renderedPost, renderedStyle } from './detail-routes.ts';
import { FEED_FORMATS, type FeedFormat } from './syndication/feeds.ts';
import { compress, type RenderedPage } from './cache/cached-page.ts';
import type { Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { LIVE_SCRIPT, LIVE_SCRIPT_HEADERS, LIVE_SCRIPT_PATH } from './live/live-script.ts';
import type { PageCache } from './cache/page-cache.ts';
import { requestedPage } from './public-routes.ts';
import { PUBLIC_STYLE, STYLE_HEADERS, STYLE_PATH } from './style/page-style.ts';
import type { FoundPage } from './read-public-page.ts';
import { renderedBadge, renderedEmbed, renderedFeed } from './syndication-routes.ts';

const SUBPAGE_URL = /^\/(status|api\/public\/status-pages)\/([a-z0-9-]{3,63})\/([a-z0-9./-]{1,60})(?:\?(.*))?$/;
const BADGE = 'badge.svg';

interface SubpageRequest {
  /** Path below the page, without a leading slash. */
  path: string;
  language: Language;
  /** Base of absolute links, without a trailing slash. */
  baseUrl: string;
}

/** Serves pages, their files and the pages they link to before the routes exist. */
export function startupPages(pages: PageCache, baseUrl: () => string) {
  const style = new CompressedResponse(PUBLIC_STYLE, { ...SECURITY_HEADERS, ...STYLE_HEADERS });
  const script = new CompressedResponse(LIVE_SCRIPT, { ...SECURITY_HEADERS, ...LIVE_SCRIPT_HEADERS });
  return async (request: IncomingMessage): Promise<CompressedResponse | null> => {
    const { url = '', headers } = request;
    if (url === STYLE_PATH) return style;
    if (url === LIVE_SCRIPT_PATH) return script;
    const languages = headers['accept-language'] ?? '';
    const requested = requestedPage(url, languages);
    const basePath = basePathOf(request);
    if (requested !== null) {
      const { subdomain, name, render, isHtml } = requested;
      return pages.response(subdomain, name, render, isHtml ? basePath : '');
    }
    const [, kind, subdomain, path = '', query = ''] = SUBPAGE_URL.exec(url) ?? [];
    const isPageUrl = subdomain !== undefined && (kind === 'status') === (path !== BADGE);
    const page = !isPageUrl ? null : await pages.get(subdomain);
    if (page === null) return null;
    const choice = languageQuery.parse(Object.fromEntries(new URLSearchParams(query)));
    const language = languageOf({ languages }, choice);
    const rendered = renderedSubpage(page, { path, language, baseUrl: baseUrl() });
    return rendered && compress(rendered, basePath);
  };
}

/** Omits response times and older posts, which are only in the database. */
function renderedSubpage(page: FoundPage, { path, language, baseUrl }: SubpageRequest): RenderedPage | null {
  const { view } = page;
  const [folder = '', id] = path.split('/', 2);
  const [, format = ''] = folder.split('.', 2);
  const post = folder === 'incidents' ? view.incidents.find((entry) => entry.id === id) : undefined;
  const component = folder === 'components' ? view.components.find((entry) => entry.id === id) : undefined;
  if (post !== undefined) return renderedPost(page, post, language);
  if (component !== undefined) return renderedComponent(page, component, null, language);
  if (path === 'embed') return renderedEmbed(page, language);
  if (path === BADGE) return renderedBadge(page, language);
  if (path === 'style.css') return renderedStyle(page);
  const isFeed = path === `feed.${format}` && Object.hasOwn(FEED_FORMATS, format);
  return isFeed ? renderedFeed(page, format as FeedFormat, language, baseUrl) : null;
}
