import { z } from 'zod';
import type { Clock } from '../../../shared/time.ts';
import { notFound } from '../../errors/app-error.ts';
import { uuidParam } from '../../http/input/validation.ts';
import { HTML_CONTENT, linkBelow } from '../../http/routing/exchange.ts';
import { defineRoute, type Route } from '../../http/routing/route.ts';
import type { Page } from '../../pages/layout.ts';
import { renderComponentPage, type ComponentTimes } from './html/component-page-html.ts';
import { viewPageError } from './html/error-html.ts';
import type { RenderedPage } from './cache/cached-page.ts';
import { pageLocale, type Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { brandingStyle } from './style/branding-style.ts';
import { renderPostPage } from './html/post-html.ts';
import type { PageCache } from './cache/page-cache.ts';
import { respondWith, publicParams, readPublished } from './public-routes.ts';
import { PUBLIC_STYLE, STYLE_HEADERS, STYLE_PATH } from './style/page-style.ts';
import type { PublicComponent, PublicPost } from './public-view.ts';
import { readComponentTimes, readPublicPost, type FoundPage, type PublicDeps } from './read-public-page.ts';
import { ReadCache } from './cache/read-cache.ts';

const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, ignoresQuery: true,
  errors: ['RESOURCE_NOT_FOUND'],
} as const;
const CSS = { 200: { contentType: STYLE_HEADERS['Content-Type'] } } as const;
const page = {
  ...common, query: languageQuery, errorPage: viewPageError,
  responses: { 200: { contentType: HTML_CONTENT } },
} as const;

export function renderedPost(
  { view, page: appearance }: FoundPage, post: PublicPost, language: Language,
): RenderedPage {
  return renderedHtml(renderPostPage(view, appearance, post, pageLocale(language, view.timezone)));
}

/** `times`: null if the page shows none. */
export function renderedComponent(
  { view, page: appearance }: FoundPage, component: PublicComponent, times: ComponentTimes | null,
  language: Language,
): RenderedPage {
  const locale = pageLocale(language, view.timezone);
  return renderedHtml(renderComponentPage(view, appearance, component, times, locale));
}

export function renderedStyle({ page: { branding } }: FoundPage): RenderedPage {
  return {
    body: brandingStyle(branding) ?? '',
    headers: { 'Content-Type': CSS[200].contentType, 'Cache-Control': 'public, max-age=60' },
  };
}

function renderedHtml({ html: body, headers }: Page): RenderedPage {
  return { body, headers: { 'Content-Type': HTML_CONTENT, ...headers } };
}

/** What a public page links to: its posts, its components and its style. */
export function detailRoutes(deps: PublicDeps, pages: PageCache, clock: Clock): Route[] {
  const times = new ReadCache(clock, async (key) => {
    const [subdomain = '', id = ''] = key.split('/');
    return readComponentTimes(deps, await readPublished(pages, subdomain), id);
  });
  return [
    defineRoute({
      ...page, path: '/status/:subdomain/incidents/:incidentId', summary: 'Incident of a published status page',
      params: publicParams.extend({ incidentId: uuidParam }),
      handle: async (ctx, { params: { subdomain, incidentId }, query }) => {
        const found = await readPublished(pages, subdomain);
        const post = await readPublicPost(deps, found, incidentId);
        if (post === null) throw notFound('Incident');
        const { body, headers } = renderedPost(found, post, languageOf(ctx, query));
        return { status: 200 as const, raw: linkBelow(body, ctx.basePath), headers };
      },
    }),
    defineRoute({
      ...page, path: '/status/:subdomain/components/:componentId',
      summary: 'Daily uptime and response times of a component of a published status page',
      params: publicParams.extend({ componentId: uuidParam }),
      handle: async (ctx, { params: { subdomain, componentId }, query }) => {
        const found = await readPublished(pages, subdomain);
        const component = found.view.components.find(({ id }) => id === componentId);
        if (component === undefined) throw notFound('Component');
        const responseTimes = await times.get(`${subdomain}/${componentId}`);
        const { body, headers } = renderedComponent(found, component, responseTimes, languageOf(ctx, query));
        return { status: 200 as const, raw: linkBelow(body, ctx.basePath), headers };
      },
    }),
    defineRoute({
      ...common, path: '/status/:subdomain/style.css', summary: 'Color and style of a published status page',
      params: publicParams, responses: CSS, isRevalidated: true,
      handle: (_ctx, { params: { subdomain } }) => respondWith(pages, subdomain, 'style', renderedStyle),
    }),
    defineRoute({
      ...common, path: '/status/assets/:file', summary: 'Style of status pages',
      params: z.strictObject({ file: z.string().regex(/^page-[0-9a-f]{16}\.css$/) }),
      responses: CSS,
      handle: async (_ctx, { params: { file } }) => {
        // During a rolling update, a page of another version may request its own file.
        const isCurrentVersion = STYLE_PATH.endsWith(`/${file}`);
        const headers = { 'Cache-Control': isCurrentVersion ? STYLE_HEADERS['Cache-Control'] : 'no-store' };
        return { status: 200 as const, raw: PUBLIC_STYLE, headers };
      },
    }),
  ];
}
