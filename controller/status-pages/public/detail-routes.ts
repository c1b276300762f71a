import { z } from 'zod';
import { notFound } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';
import { HTML_CONTENT } from '../../http/exchange.ts';
import { uuidParam } from '../../http/params.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { Page } from '../../pages/layout.ts';
import { renderComponentPage, type ComponentTimes } from './component-html.ts';
import { viewPageError } from './error-html.ts';
import type { PageForm } from './kept-page.ts';
import { voiceOf, type Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { ownStyle } from './own-style.ts';
import { renderPostPage } from './post-html.ts';
import type { PublicPages } from './public-pages.ts';
import { answerWith, publicParams, readShown } from './public-routes.ts';
import { PUBLIC_STYLE, STYLE_HEADERS, STYLE_PATH } from './public-style.ts';
import type { PublicComponent, PublicPost } from './public-view.ts';
import { readComponentTimes, readPublicPost, type FoundPage, type PublicDeps } from './read-public-page.ts';
import { RecentReadings } from './recent-readings.ts';

const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, ignoresQuery: true,
  errors: ['RESOURCE_NOT_FOUND'],
} as const;
const CSS = { 200: { contentType: STYLE_HEADERS['Content-Type'] } } as const;
const page = {
  ...common, query: languageQuery, errorPage: viewPageError, answers: { 200: { contentType: HTML_CONTENT } },
} as const;

export function postForm({ view, page: look }: FoundPage, post: PublicPost, language: Language): PageForm {
  return htmlForm(renderPostPage(view, look, post, voiceOf(language, view.timezone)));
}

/** `times`: null if none are shown. */
export function componentForm(
  { view, page: look }: FoundPage, component: PublicComponent, times: ComponentTimes | null,
  language: Language,
): PageForm {
  return htmlForm(renderComponentPage(view, look, component, times, voiceOf(language, view.timezone)));
}

export function styleForm({ page: { branding } }: FoundPage): PageForm {
  return {
    body: ownStyle(branding) ?? '',
    headers: { 'Content-Type': CSS[200].contentType, 'Cache-Control': 'public, max-age=60' },
  };
}

function htmlForm({ html: body, headers }: Page): PageForm {
  return { body, headers: { 'Content-Type': HTML_CONTENT, ...headers } };
}

/** What a public page links to: its posts, its components and its style. */
export function detailRoutes(deps: PublicDeps, pages: PublicPages, clock: Clock): Route[] {
  const times = new RecentReadings(clock, async (key) => {
    const [subdomain = '', id = ''] = key.split('/');
    return readComponentTimes(deps, await readShown(pages, subdomain), id);
  });
  return [
    defineRoute({
      ...page, path: '/status/:subdomain/incidents/:incidentId', summary: 'Incident of a published status page',
      params: publicParams.extend({ incidentId: uuidParam }),
      handle: async (ctx, { params: { subdomain, incidentId }, query }) => {
        const found = await readShown(pages, subdomain);
        const post = await readPublicPost(deps, found, incidentId);
        if (post === null) throw notFound('Incident');
        const { body, headers } = postForm(found, post, languageOf(ctx, query));
        return { status: 200 as const, raw: body, headers };
      },
    }),
    defineRoute({
      ...page, path: '/status/:subdomain/components/:componentId',
      summary: 'Daily uptime and response times of a component of a published status page',
      params: publicParams.extend({ componentId: uuidParam }),
      handle: async (ctx, { params: { subdomain, componentId }, query }) => {
        const found = await readShown(pages, subdomain);
        const component = found.view.components.find(({ id }) => id === componentId);
        if (component === undefined) throw notFound('Component');
        const read = await times.get(`${subdomain}/${componentId}`);
        const { body, headers } = componentForm(found, component, read, languageOf(ctx, query));
        return { status: 200 as const, raw: body, headers };
      },
    }),
    defineRoute({
      ...common, path: '/status/:subdomain/style.css', summary: 'Color and style of a published status page',
      params: publicParams, answers: CSS,
      handle: (_ctx, { params: { subdomain } }) => answerWith(pages, subdomain, 'style', styleForm),
    }),
    defineRoute({
      ...common, path: '/status/assets/:file', summary: 'Style of status pages',
      params: z.strictObject({ file: z.string().regex(/^page-[0-9a-f]{16}\.css$/) }),
      answers: CSS,
      handle: async (_ctx, { params: { file } }) => {
        // Another version's page may ask while controllers are updated one after another.
        const isOurs = STYLE_PATH.endsWith(`/${file}`);
        const headers = { 'Cache-Control': isOurs ? STYLE_HEADERS['Cache-Control'] : 'no-store' };
        return { status: 200 as const, raw: PUBLIC_STYLE, headers };
      },
    }),
  ];
}
