import { HTML_CONTENT, linkBelow } from '../../http/routing/exchange.ts';
import { defineRoute, type Route } from '../../http/routing/route.ts';
import type { PageDeps } from '../deps.ts';
import { pageParams } from '../schema.ts';
import { loadPage } from '../verbs/read-pages.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { renderPublicPage } from './html/public-page-html.ts';
import { readView } from './read-public-page.ts';

/** A page as its readers would see it, for its editors. */
export function previewRoute(deps: PageDeps): Route {
  return defineRoute({
    method: 'GET', path: '/api/projects/:projectId/status-pages/:id/preview', params: pageParams,
    tag: 'Status pages',
    auth: { access: 'path-project', role: 'viewer' }, query: languageQuery,
    summary: 'Preview a status page as visitors would see it, even before it is published',
    description: 'The custom style of the page is the text of the element `template#own-style`: only published pages '
      + 'have a URL for it.',
    errors: ['RESOURCE_NOT_FOUND', 'ACCESS_DENIED'], responses: { 200: { contentType: HTML_CONTENT } },
    handle: async (ctx, { params, query }) => {
      const page = await loadPage(deps, ctx.tenant, params.id);
      const view = await readView(deps, page, ctx.now);
      const language = languageOf(ctx, query);
      const { html, headers } = renderPublicPage(view, page, language, { isPreview: true });
      return { status: 200, raw: linkBelow(html, ctx.basePath), headers: { ...headers, 'Cache-Control': 'no-store' } };
    },
  });
}
