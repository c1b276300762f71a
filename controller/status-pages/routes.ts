import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../http/routing/route.ts';
import * as responses from './responses.ts';
import type { PageDeps } from './deps.ts';
import { previewRoute } from './public/preview-routes.ts';
import * as schema from './schema.ts';
import { listPages, loadPage, readPage } from './verbs/read-pages.ts';
import {
  attachMonitors, changeBranding, changePage, createPage, deletePage, movePage,
} from './verbs/write-page.ts';
import { viewPage } from './views.ts';

const path = '/api/projects/:projectId/status-pages';
const all = { path, params: schema.projectParams, tag: 'Status pages' } as const;
const one = {
  ...all, path: `${path}/:id`, params: schema.pageParams, errors: ['RESOURCE_NOT_FOUND', 'ACCESS_DENIED'],
} as const;
const admin = { access: 'path-project', role: 'admin' } as const;
const viewer = { access: 'path-project', role: 'viewer' } as const;

/** Status pages: list, read, write, publish, branding and monitors. */
export function pageRoutes(deps: PageDeps): Route[] {
  return [
    ...readRoutes(deps), previewRoute(deps), ...writeRoutes(deps), ...partRoutes(deps),
    ...publicationRoutes(deps),
  ];
}

function readRoutes(deps: PageDeps): Route[] {
  const auth = { ...viewer, header: true } as const;
  return [
    defineRoute({
      ...all, auth, method: 'GET', summary: 'List the status pages of a project, newest first',
      responses: { 200: responses.pageListResponse },
      handle: async (ctx) => {
        const pages = await listPages(deps, ctx);
        return ok({ status_pages: pages.map((page) => viewPage(page, ctx.role, 'list')) });
      },
    }),
    defineRoute({
      ...one, auth, method: 'GET', summary: 'Read a status page', responses: { 200: responses.pageResponse },
      handle: async (ctx, { params }) => {
        return ok({ status_page: viewPage(await readPage(deps, ctx, params.id), ctx.role, 'single') });
      },
    }),
  ];
}

function writeRoutes(deps: PageDeps): Route[] {
  return [
    defineRoute({
      ...all, auth: admin, method: 'POST', summary: 'Create a status page', audit: 'status_page.created',
      description: 'It starts as a draft and is not public until you publish it.',
      body: schema.pageInput, errors: ['PLAN_LIMIT_EXCEEDED', 'INSUFFICIENT_PLAN', 'SLUG_ALREADY_TAKEN'],
      responses: { 201: responses.pageResponse },
      handle: async (ctx, { body }) => {
        return created({ status_page: viewPage(await createPage(deps, ctx, body), ctx.role, 'single') });
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, auth: admin, method, summary: 'Change a status page', audit: 'status_page.updated',
      description: 'Changes only the fields in the request. `PUT` and `PATCH` behave the same.',
      body: schema.pageChangeInput, errors: [...one.errors, 'INSUFFICIENT_PLAN'],
      responses: { 200: responses.pageResponse },
      handle: async (ctx, { params, body }) => {
        return ok({ status_page: viewPage(await changePage(deps, ctx, params.id, body), ctx.role, 'single') });
      },
    })),
    defineRoute({
      ...one, auth: { ...admin, header: true }, method: 'DELETE', summary: 'Delete a status page',
      audit: 'status_page.deleted', responses: { 200: messageResponse },
      description: 'The page goes offline immediately. For 30 days, only the organization can reuse its subdomain. '
        + 'Monitors are kept.',
      handle: (ctx, { params }) => okMessage(deletePage(deps, ctx, params.id), 'Status page deleted successfully'),
    }),
  ];
}

function partRoutes(deps: PageDeps): Route[] {
  const branding = { ...one, path: `${one.path}/branding`, responses: { 200: responses.brandingResponse } } as const;
  return [
    defineRoute({
      ...branding, auth: viewer, method: 'GET', summary: 'Read the branding of a status page',
      handle: async (ctx, { params }) => {
        return ok({ branding: (await loadPage(deps, ctx.tenant, params.id)).branding ?? {} });
      },
    }),
    defineRoute({
      ...branding, auth: admin, method: 'PUT', summary: 'Change the branding of a status page',
      audit: 'status_page.branding_updated', body: schema.brandingInput,
      handle: async (ctx, { params, body }) => {
        return ok({ branding: await changeBranding(deps, ctx, params.id, body) });
      },
    }),
    defineRoute({
      ...one, path: `${one.path}/monitors`, auth: admin, method: 'PUT',
      summary: 'Replace the monitors of a status page', audit: 'status_page.monitors_updated',
      body: schema.componentsInput, responses: { 200: responses.pageResponse },
      handle: async (ctx, { params, body }) => {
        const page = await attachMonitors(deps, ctx, params.id, body);
        return ok({ status_page: viewPage(page, ctx.role, 'single') });
      },
    }),
  ];
}

function publicationRoutes(deps: PageDeps): Route[] {
  const moves = [
    ['publish', 'published', 'Publish a status page'],
    ['unpublish', 'draft', 'Unpublish a status page'],
    ['archive', 'archived', 'Archive a status page'],
  ] as const;
  return moves.map(([verb, to, summary]) => defineRoute({
    ...one, path: `${one.path}/${verb}`, auth: admin, method: 'POST', summary,
    audit: `status_page.${verb}${verb.endsWith('e') ? 'd' : 'ed'}`, responses: { 200: responses.pageResponse },
    errors: [...one.errors, ...(to === 'published' ? ['SLUG_ALREADY_TAKEN' as const] : [])],
    handle: async (ctx, { params }) => {
      return ok({ status_page: viewPage(await movePage(deps, ctx, params.id, to), ctx.role, 'single') });
    },
  }));
}
