import { defineRoute, ok, type Route } from '../../http/routing/route.ts';
import { domainResponse } from '../responses.ts';
import type { PageDeps } from '../deps.ts';
import { pageParams } from '../schema.ts';
import { viewPage } from '../views.ts';
import { verifyDomain, type DomainDeps } from './verbs.ts';

export function domainRoutes(deps: PageDeps & DomainDeps): Route[] {
  return [defineRoute({
    method: 'POST', path: '/api/projects/:projectId/status-pages/:id/custom-domain/verify',
    params: pageParams, tag: 'Status pages', auth: { access: 'path-project', role: 'admin' },
    summary: 'Verify the custom domain of a status page',
    description: 'Looks up `records` in DNS; any one of them is enough. The page is then served at the domain, and DNS is '
      + 'checked again every few hours. `problem` says what is missing.',
    audit: 'status_page.domain_checked', errors: ['RESOURCE_NOT_FOUND', 'ACCESS_DENIED', 'CONFLICT'],
    responses: { 200: domainResponse },
    handle: async (ctx, { params }) => {
      const { whole, verification } = await verifyDomain(deps, ctx, params.id);
      return ok({ status_page: viewPage(whole, ctx.role, 'single'), verification });
    },
  })];
}
