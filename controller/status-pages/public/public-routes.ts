import { z } from 'zod';
import { notFound } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';
import { HTML_CONTENT } from '../../http/exchange.ts';
import { defineRoute, ok, type Route } from '../../http/route.ts';
import { viewError } from '../../pages/layout.ts';
import { renderPublicPage } from './public-html.ts';
import { PublicPages } from './public-pages.ts';
import { publicPageView } from './public-view.ts';
import { readPublicPage, type PublicDeps } from './read-public-page.ts';

const params = z.strictObject({ subdomain: z.string().max(63).toLowerCase() });
const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, params, ignoresQuery: true,
  errors: ['RESOURCE_NOT_FOUND'],
} as const;

export function openPublicPages(deps: PublicDeps, clock: Clock) {
  return new PublicPages(clock, async (subdomain) => {
    const found = await readPublicPage(deps, subdomain, clock.now());
    return found && { view: found.view, shown: renderPublicPage(found.view, found.page) };
  });
}

/** Published pages, for everybody. A page that is a draft, archived or deleted is unknown. */
export function publicPageRoutes(pages: ReturnType<typeof openPublicPages>): Route[] {
  const read = async (subdomain: string) => {
    const page = await pages.get(subdomain);
    if (page === null) throw notFound('Status page');
    return page;
  };
  return [
    defineRoute({
      ...common, path: '/api/public/status-pages/:subdomain', summary: 'Read a published status page',
      answers: { 200: z.strictObject({ status_page: publicPageView }) },
      handle: async (_ctx, { params: { subdomain } }) => {
        return ok({ status_page: (await read(subdomain)).view });
      },
    }),
    defineRoute({
      ...common, path: '/status/:subdomain', summary: 'Published status page, for people',
      errorPage: viewError, answers: { 200: { contentType: HTML_CONTENT } },
      handle: async (_ctx, { params: { subdomain } }) => {
        const { shown: { html, headers } } = await read(subdomain);
        return { status: 200 as const, raw: html, headers };
      },
    }),
  ];
}
