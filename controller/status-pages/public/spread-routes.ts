import { z } from 'zod';
import { notFound } from '../../../shared/errors.ts';
import { HTML_CONTENT } from '../../http/exchange.ts';
import { uuidParam } from '../../http/params.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { componentBadge, pageBadge } from './badge.ts';
import { renderEmbed } from './embed-html.ts';
import { viewPageError } from './error-html.ts';
import { FEED_FORMATS, renderFeed, type FeedFormat } from './feeds.ts';
import type { PageForm } from './kept-page.ts';
import { voiceOf, type Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import type { MonitorBadges } from './monitor-badges.ts';
import type { PublicPages } from './public-pages.ts';
import { answerWith, publicParams } from './public-routes.ts';
import type { FoundPage } from './read-public-page.ts';

export interface SpreadDeps {
  badges: MonitorBadges;
  readers: PublicPages;
  /** Of links, without a slash at its end. */
  baseUrl(): string;
}

const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, ignoresQuery: true,
  query: languageQuery, errors: ['RESOURCE_NOT_FOUND'],
} as const;
const SVG = { 200: { contentType: 'image/svg+xml; charset=utf-8' } } as const;
const badgeQuery = languageQuery.extend({ show: z.enum(['status', 'uptime']).optional().catch(undefined) });
/** Other sites show badges; those that are asked for often may be a minute old. */
const SVG_HEADERS = {
  'Content-Type': SVG[200].contentType,
  'Cache-Control': 'public, max-age=60', 'Cross-Origin-Resource-Policy': 'cross-origin', Vary: 'Accept-Language',
};

/** @param baseUrl what links begin with, without a slash at its end */
export function feedForm(
  { view }: FoundPage, format: FeedFormat, language: Language, baseUrl: string,
): PageForm {
  return {
    body: renderFeed(format, view, baseUrl, voiceOf(language, view.timezone)),
    headers: {
      'Content-Type': FEED_FORMATS[format], 'Cache-Control': 'public, max-age=60', Vary: 'Accept-Language',
    },
  };
}

export function embedForm({ view, page }: FoundPage, language: Language): PageForm {
  const { html: body, headers } = renderEmbed(view, page, voiceOf(language, view.timezone));
  return { body, isForFrames: true, headers: { 'Content-Type': HTML_CONTENT, ...headers } };
}

export function badgeForm({ view }: FoundPage, language: Language): PageForm {
  return {
    body: pageBadge(view, voiceOf(language, view.timezone)),
    headers: SVG_HEADERS,
  };
}

/** What takes a published page elsewhere: feeds, badges and a frame for other sites. */
export function spreadRoutes(deps: SpreadDeps): Route[] {
  return [
    ...(Object.keys(FEED_FORMATS) as FeedFormat[]).map((format) => feedRoute(deps, format)), embedRoute(deps),
    ...badgeRoutes(deps),
  ];
}

function feedRoute({ readers, baseUrl }: SpreadDeps, format: FeedFormat): Route {
  return defineRoute({
    ...common, path: `/status/:subdomain/feed.${format}`, params: publicParams,
    summary: `Incidents of a published status page as a feed (${format})`,
    answers: { 200: { contentType: FEED_FORMATS[format] } },
    handle: (ctx, { params: { subdomain }, query }) => {
      const language = languageOf(ctx, query);
      return answerWith(readers, subdomain, `${format} ${language}`,
        (page) => feedForm(page, format, language, baseUrl()));
    },
  });
}

function embedRoute({ readers }: SpreadDeps): Route {
  return defineRoute({
    ...common, path: '/status/:subdomain/embed', summary: 'State of a published status page, for embedding in other sites',
    params: publicParams, errorPage: viewPageError, answers: { 200: { contentType: HTML_CONTENT } },
    handle: (ctx, { params: { subdomain }, query }) => {
      const language = languageOf(ctx, query);
      return answerWith(readers, subdomain, `embed ${language}`, (page) => embedForm(page, language));
    },
  });
}

function badgeRoutes({ badges, readers }: SpreadDeps): Route[] {
  return [
    defineRoute({
      ...common, path: '/api/public/status-pages/:subdomain/badge.svg', params: publicParams, answers: SVG,
      summary: 'State of a published status page as an image',
      handle: (ctx, { params: { subdomain }, query }) => {
        const language = languageOf(ctx, query);
        return answerWith(readers, subdomain, `badge ${language}`, (page) => badgeForm(page, language));
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/badge.svg', params: z.strictObject({ id: uuidParam }), answers: SVG,
      query: badgeQuery, summary: 'State or uptime of a monitor on a published status page, as an image',
      description: '`show=uptime` shows the 90-day uptime if the page does. The image matches the page. '
        + 'Send its `ETag` as `If-None-Match` to get 304 without a body if nothing has changed.',
      handle: async (ctx, { params: { id }, query }) => {
        const [language, show] = [languageOf(ctx, query), query.show ?? 'status'];
        const packed = await badges.form(id, `${show} ${language}`, ({ view }, component) => ({
          body: componentBadge(view, component, show, voiceOf(language, view.timezone)), headers: SVG_HEADERS,
        }));
        if (packed === null) throw notFound('Monitor');
        return { status: 200 as const, packed };
      },
    }),
  ];
}
