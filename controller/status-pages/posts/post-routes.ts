import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../../http/routing/route.ts';
import { pageParams } from '../schema.ts';
import * as schema from './post-schema.ts';
import { viewPost } from './post-views.ts';
import {
  changePost, createPost, deletePost, listPosts, readPost, resolvePost, updatePost, type PostDeps,
} from './verbs/write-post.ts';

const path = '/api/projects/:projectId/status-pages/:id/incidents';
const errors = ['RESOURCE_NOT_FOUND', 'ACCESS_DENIED'] as const;
const all = { path, params: pageParams, tag: 'Status page incidents', errors } as const;
const one = { ...all, path: `${path}/:incidentId`, params: schema.postParams } as const;
const viewer = { access: 'path-project', role: 'viewer' } as const;
const admin = { access: 'path-project', role: 'admin' } as const;
const changing = { ...one, auth: admin, errors: [...errors, 'CONFLICT'] } as const;
const responses = { 200: schema.postResponse } as const;

/** Posts of status pages: list, read, write. */
export function postRoutes(deps: PostDeps): Route[] {
  return [...readRoutes(deps), ...writeRoutes(deps), ...progressRoutes(deps)];
}

function readRoutes(deps: PostDeps): Route[] {
  return [
    defineRoute({
      ...all, auth: viewer, method: 'GET', summary: 'List the incidents of a status page, newest first',
      query: schema.postListQuery, responses: { 200: schema.postListResponse },
      handle: async (ctx, { params, query }) => {
        const { posts, pagination } = await listPosts(deps, ctx, params.id, query);
        return ok({ incidents: posts.map(viewPost), pagination });
      },
    }),
    defineRoute({
      ...one, auth: viewer, method: 'GET', summary: 'Read an incident of a status page', responses,
      handle: async (ctx, { params }) => {
        return ok({ incident: viewPost(await readPost(deps, ctx, params.id, params.incidentId)) });
      },
    }),
  ];
}

function writeRoutes(deps: PostDeps): Route[] {
  return [
    defineRoute({
      ...all, auth: { ...admin, hidesRole: true }, method: 'POST', summary: 'Post an incident on a status page',
      description: 'Callers who are not project admins get `AUTHENTICATION_REQUIRED`.',
      audit: 'status_page_incident.created', body: schema.postInput,
      errors: [...errors, 'FAIR_USE_LIMIT_REACHED'], responses: { 201: schema.postResponse },
      handle: async (ctx, { params, body }) => {
        return created({ incident: viewPost(await createPost(deps, ctx, params.id, body)) });
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...changing, method, summary: 'Change an incident of a status page', responses,
      description: 'Changes only the fields in the request, without adding an update.',
      audit: 'status_page_incident.updated', body: schema.postChangeInput,
      handle: async (ctx, { params, body }) => {
        return ok({ incident: viewPost(await changePost(deps, ctx, params.id, params.incidentId, body)) });
      },
    })),
    defineRoute({
      ...one, auth: admin, method: 'DELETE', summary: 'Delete an incident of a status page',
      audit: 'status_page_incident.deleted', responses: { 200: messageResponse },
      handle: (ctx, { params }) => {
        return okMessage(deletePost(deps, ctx, params.id, params.incidentId), 'Incident deleted successfully');
      },
    }),
  ];
}

function progressRoutes(deps: PostDeps): Route[] {
  return [
    defineRoute({
      ...changing, path: `${one.path}/updates`, method: 'POST', summary: 'Add an update to an incident',
      audit: 'status_page_incident.updated', body: schema.updateInput,
      errors: [...changing.errors, 'FAIR_USE_LIMIT_REACHED'], responses: { 201: schema.postResponse },
      handle: async (ctx, { params, body }) => {
        const post = await updatePost(deps, ctx, params.id, params.incidentId, body);
        return created({ incident: viewPost(post) });
      },
    }),
    defineRoute({
      ...changing, path: `${one.path}/resolve`, method: 'POST', summary: 'Resolve an incident', responses,
      audit: 'status_page_incident.resolved', body: schema.resolveInput,
      errors: [...changing.errors, 'FAIR_USE_LIMIT_REACHED'],
      handle: async (ctx, { params, body }) => {
        const post = await resolvePost(deps, ctx, params.id, params.incidentId, body.message);
        return ok({ incident: viewPost(post) });
      },
    }),
  ];
}
