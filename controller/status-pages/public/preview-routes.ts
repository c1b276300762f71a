import { HTML_CONTENT } from '../../http/exchange.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { PageDeps } from '../deps.ts';
import type { PageDoc } from '../page.ts';
import { pageParams } from '../schema.ts';
import { loadPage } from '../verbs/read-pages.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import type { Look } from './page-frame.ts';
import { renderPublicPage } from './public-html.ts';
import { readView } from './read-public-page.ts';

/** A page as its readers would see it, for those who prepare it. */
export function previewRoute(deps: PageDeps): Route {
  return defineRoute({
    method: 'GET', path: '/api/projects/:projectId/status-pages/:id/preview', params: pageParams,
    tag: 'Status pages',
    auth: { access: 'path-project', role: 'viewer' }, query: languageQuery,
    summary: 'Read a status page as its readers would see it, also before it is published',
    description: 'The own style of a page is loaded once it is published.',
    errors: ['RESOURCE_NOT_FOUND', 'ACCESS_DENIED'], answers: { 200: { contentType: HTML_CONTENT } },
    handle: async (ctx, { params, query }) => {
      const page = await loadPage(deps, ctx.tenant, params.id);
      const view = await readView(deps, page, ctx.now);
      const language = languageOf(ctx, query);
      const { html, headers } = renderPublicPage(view, lookOf(page), language, { isStill: true });
      return { status: 200, raw: html, headers: { ...headers, 'Cache-Control': 'no-store' } };
    },
  });
}

/** Nobody can load the style of a page that is not published. */
function lookOf({ status, branding, allow_search_indexing }: PageDoc): Look {
  const { primaryColor: _color, customCss: _css, ...plain } = branding ?? {};
  return { branding: status === 'published' ? branding : plain, allow_search_indexing };
}
