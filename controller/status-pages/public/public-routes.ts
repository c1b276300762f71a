import { z } from 'zod';
import { notFound } from '../../errors/app-error.ts';
import { memoizeByText } from '../../http/responses/memoize-by-text.ts';
import { basePathOf, HTML_CONTENT, JSON_CONTENT } from '../../http/routing/exchange.ts';
import { defineRoute, type Route } from '../../http/routing/route.ts';
import type { FastResponses } from '../../http/server/fast-responses.ts';
import { viewPageError } from './html/error-html.ts';
import type { RenderedPage } from './cache/cached-page.ts';
import { LANGUAGES, type Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { renderPublicPage } from './html/public-page-html.ts';
import type { PageCache } from './cache/page-cache.ts';
import { publicPageView } from './public-view.ts';
import type { FoundPage } from './read-public-page.ts';

export const publicParams = z.strictObject({ subdomain: z.string().max(63).toLowerCase() });
const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, params: publicParams,
  ignoresQuery: true, errors: ['RESOURCE_NOT_FOUND'], isRevalidated: true,
} as const;

const JSON_PATH = '/api/public/status-pages/:subdomain';
const PAGE_PATH = '/status/:subdomain';
/** The page URLs that are worth a response without routing. */
const COMMON_URL = /^\/(status|api\/public\/status-pages)\/([a-z0-9-]{3,63})(?:\?lang=([a-z]{2}))?$/;

/** URLs whose parsed form is cached, each with its language headers. */
const MAX_CACHED_URLS = 1000;
const MAX_CACHED_LANGUAGES = 20;

/** Throws RESOURCE_NOT_FOUND for a page that is a draft, archived or deleted. */
export async function readPublished(pages: PageCache, subdomain: string): Promise<FoundPage> {
  const page = await pages.get(subdomain);
  if (page === null) throw notFound('Status page');
  return page;
}

/** Responds with a rendering of a page, the same bytes for all readers. Throws as `readPublished`. */
export async function respondWith(
  pages: PageCache, subdomain: string, name: string, render: (page: FoundPage) => RenderedPage,
  basePath?: string,
) {
  const compressed = await pages.response(subdomain, name, render, basePath);
  if (compressed === null) throw notFound('Status page');
  return { status: 200 as const, compressed };
}

/** Published pages, without authentication. */
export function publicPageRoutes(pages: PageCache): Route[] {
  return [
    defineRoute({
      ...common, path: JSON_PATH, summary: 'Read a published status page',
      responses: { 200: z.strictObject({ status_page: publicPageView }) },
      handle: (_ctx, { params: { subdomain } }) => respondWith(pages, subdomain, 'json', asJson),
    }),
    defineRoute({
      ...common, path: PAGE_PATH, summary: 'Published status page, for people',
      query: languageQuery, errorPage: viewPageError, responses: { 200: { contentType: HTML_CONTENT } },
      handle: (ctx, { params: { subdomain }, query }) => {
        const language = languageOf(ctx, query);
        return respondWith(pages, subdomain, language, (page) => asHtml(page, language), ctx.basePath);
      },
    }),
  ];
}

/** Responds with pages that another request has just rendered. */
export function fastPageResponses(pages: PageCache): FastResponses {
  const requestedPageAt = memoizeByText(MAX_CACHED_URLS, (url) =>
    memoizeByText(MAX_CACHED_LANGUAGES, (languages) => requestedPage(url, languages)));
  return {
    find: (request) => {
      const { url = '', headers } = request;
      if (!url.startsWith('/status/') && !url.startsWith('/api/public/')) return null;
      const requested = requestedPageAt(url)(headers['accept-language'] ?? '');
      if (requested === null) return null;
      const { subdomain, name, isHtml, route } = requested;
      const response = pages.cachedResponse(subdomain, name, isHtml ? basePathOf(request) : '');
      return response && { route, response };
    },
  };
}

/** The page and rendering that a request is for, as the routes would decide; null leaves it to them. */
export function requestedPage(url: string, languages: string) {
  const [, kind, subdomain, lang] = COMMON_URL.exec(url) ?? [];
  if (subdomain === undefined) return null;
  if (kind !== 'status') return { subdomain, name: 'json', route: JSON_PATH, render: asJson, isHtml: false };
  const choice = { lang: LANGUAGES.find((language) => language === lang) };
  const language = languageOf({ languages }, choice);
  const render = (page: FoundPage) => asHtml(page, language);
  return { subdomain, name: language, route: PAGE_PATH, render, isHtml: true };
}

function asJson({ view }: FoundPage): RenderedPage {
  return {
    body: JSON.stringify({ success: true, data: { status_page: view } }),
    headers: { 'Content-Type': JSON_CONTENT, 'Cache-Control': 'public, max-age=1' },
  };
}

function asHtml({ page, view }: FoundPage, language: Language): RenderedPage {
  const { html: body, headers } = renderPublicPage(view, page, language);
  return { body, headers: { 'Content-Type': HTML_CONTENT, ...headers } };
}
