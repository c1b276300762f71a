import { z } from 'zod';
import { notFound } from '../../errors/app-error.ts';
import { uuidParam } from '../../http/input/validation.ts';
import { HTML_CONTENT } from '../../http/routing/exchange.ts';
import { defineRoute, type Route } from '../../http/routing/route.ts';
import type { RenderedPage } from './cache/cached-page.ts';
import type { PageCache } from './cache/page-cache.ts';
import { renderEmbed } from './html/embed-html.ts';
import { viewPageError } from './html/error-html.ts';
import { pageLocale, type Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { respondWith, publicParams } from './public-routes.ts';
import type { FoundPage } from './read-public-page.ts';
import { componentBadge, pageBadge } from './syndication/badge.ts';
import { FEED_FORMATS, renderFeed, type FeedFormat } from './syndication/feeds.ts';
import type { MonitorBadges } from './syndication/monitor-badges.ts';

export interface SyndicationDeps {
  badges: MonitorBadges;
  pageCache: PageCache;
  /** Base of absolute links, without a trailing slash. */
  baseUrl(): string;
}

const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, ignoresQuery: true,
  query: languageQuery, errors: ['RESOURCE_NOT_FOUND'], isRevalidated: true,
} as const;
const SVG = { 200: { contentType: 'image/svg+xml; charset=utf-8' } } as const;
const badgeQuery = languageQuery.extend({ show: z.enum(['status', 'uptime']).optional().catch(undefined) });
/** Other sites embed badges, so caches may keep them for a minute. */
const SVG_HEADERS = {
  'Content-Type': SVG[200].contentType,
  'Cache-Control': 'public, max-age=60', 'Cross-Origin-Resource-Policy': 'cross-origin', Vary: 'Accept-Language',
};

/** @param baseUrl base of links, without a trailing slash */
export function renderedFeed(
  { view }: FoundPage, format: FeedFormat, language: Language, baseUrl: string,
): RenderedPage {
  return {
    body: renderFeed(format, view, baseUrl, pageLocale(language, view.timezone)),
    headers: {
      'Content-Type': FEED_FORMATS[format], 'Cache-Control': 'public, max-age=60', Vary: 'Accept-Language',
    },
  };
}

export function renderedEmbed({ view, page }: FoundPage, language: Language): RenderedPage {
  const { html: body, headers } = renderEmbed(view, page, pageLocale(language, view.timezone));
  return { body, isFrameable: true, headers: { 'Content-Type': HTML_CONTENT, ...headers } };
}

export function renderedBadge({ view }: FoundPage, language: Language): RenderedPage {
  return {
    body: pageBadge(view, pageLocale(language, view.timezone)),
    headers: SVG_HEADERS,
  };
}

/** Feeds, badges and an embeddable state of published pages. */
export function syndicationRoutes(deps: SyndicationDeps): Route[] {
  return [
    ...(Object.keys(FEED_FORMATS) as FeedFormat[]).map((format) => feedRoute(deps, format)), embedRoute(deps),
    ...badgeRoutes(deps),
  ];
}

function feedRoute({ pageCache, baseUrl }: SyndicationDeps, format: FeedFormat): Route {
  return defineRoute({
    ...common, path: `/status/:subdomain/feed.${format}`, params: publicParams,
    summary: `Incidents of a published status page as a feed (${format})`,
    responses: { 200: { contentType: FEED_FORMATS[format] } },
    handle: (ctx, { params: { subdomain }, query }) => {
      const language = languageOf(ctx, query);
      return respondWith(pageCache, subdomain, `${format} ${language}`,
        (page) => renderedFeed(page, format, language, baseUrl()));
    },
  });
}

function embedRoute({ pageCache }: SyndicationDeps): Route {
  return defineRoute({
    ...common, path: '/status/:subdomain/embed', summary: 'State of a published status page, for embedding in other sites',
    params: publicParams, errorPage: viewPageError, responses: { 200: { contentType: HTML_CONTENT } },
    handle: (ctx, { params: { subdomain }, query }) => {
      const language = languageOf(ctx, query);
      const render = (page: FoundPage) => renderedEmbed(page, language);
      return respondWith(pageCache, subdomain, `embed ${language}`, render, ctx.basePath);
    },
  });
}

function badgeRoutes({ badges, pageCache }: SyndicationDeps): Route[] {
  return [
    defineRoute({
      ...common, path: '/api/public/status-pages/:subdomain/badge.svg', params: publicParams, responses: SVG,
      summary: 'State of a published status page as an image',
      handle: (ctx, { params: { subdomain }, query }) => {
        const language = languageOf(ctx, query);
        return respondWith(pageCache, subdomain, `badge ${language}`, (page) => renderedBadge(page, language));
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/badge.svg', params: z.strictObject({ id: uuidParam }), responses: SVG,
      query: badgeQuery, summary: 'State or uptime of a monitor on a published status page, as an image',
      description: '`show=uptime` shows the 90-day uptime if the page does. The image matches the page.',
      handle: async (ctx, { params: { id }, query }) => {
        const [language, show] = [languageOf(ctx, query), query.show ?? 'status'];
        const compressed = await badges.response(id, `${show} ${language}`, ({ view }, component) => ({
          body: componentBadge(view, component, show, pageLocale(language, view.timezone)),
          headers: SVG_HEADERS,
        }));
        if (compressed === null) throw notFound('Monitor');
        return { status: 200 as const, compressed };
      },
    }),
  ];
}
