import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { deletedAnswer, groupListAnswer, groupStatsAnswer, groupView, healthSummaryAnswer, hierarchyAnswer } from './answers.ts';
import type { GroupDeps } from './deps.ts';
import { memberRoutes } from './member-routes.ts';
import { groupChangeInput, groupInput, groupListQuery } from './schema.ts';
import { countGroup, listGroups, readGroup, readGroupStats, readHealthSummary, readHierarchy } from './verbs/read-groups.ts';
import { changeGroup, createGroup, deleteGroup } from './verbs/write-group.ts';
import { viewGroup, viewGroupStats, viewHealth, viewHierarchy, viewWholeGroup } from './views.ts';

const tag = 'Groups';
const missing = { params: idParams, errors: ['RESOURCE_NOT_FOUND'] } as const;

/** Groups: lists, reads, writes, statistics, and what is done to all monitors of one. */
export function groupRoutes(deps: GroupDeps): Route[] {
  return [...readRoutes(deps), ...figureRoutes(deps), ...writeRoutes(deps), ...memberRoutes(deps)];
}

function readRoutes(deps: GroupDeps): Route[] {
  const common = { method: 'GET', tag, auth: { access: 'project', role: 'viewer' } } as const;
  return [
    defineRoute({
      ...common, path: '/api/groups', summary: 'List groups, newest first',
      query: groupListQuery,
      errors: ['INVALID_PAGE', 'INVALID_LIMIT'],
      answers: { 200: groupListAnswer },
      handle: async (ctx, { query }) => {
        const { groups, ...paging } = await listGroups(deps, ctx, query);
        return { status: 200, data: { groups: groups.map(viewGroup), ...paging } };
      },
    }),
    defineRoute({
      ...common, path: '/api/groups/hierarchy', summary: 'Read all groups as a tree, sorted by name',
      answers: { 200: hierarchyAnswer },
      handle: async (ctx) => ({ status: 200, data: { groups: viewHierarchy(await readHierarchy(deps, ctx)) } }),
    }),
    defineRoute({
      ...common, ...missing, path: '/api/groups/:id', summary: 'Read a group with its monitors, children and path',
      answers: { 200: groupView },
      handle: async (ctx, { params }) => ({ status: 200, data: viewWholeGroup(await readGroup(deps, ctx, params.id)) }),
    }),
  ];
}

function figureRoutes(deps: GroupDeps): Route[] {
  const common = { method: 'GET', tag, auth: { access: 'project', role: 'viewer', keys: false } } as const;
  return [
    defineRoute({
      ...common, path: '/api/groups/health-summary', summary: 'Read the health of every group, sorted by name',
      answers: { 200: healthSummaryAnswer },
      handle: async (ctx) => ({ status: 200, data: { groups: (await readHealthSummary(deps, ctx)).map(viewHealth) } }),
    }),
    defineRoute({
      ...common, ...missing, path: '/api/groups/:id/stats', summary: 'Read the statistics of a group',
      answers: { 200: groupStatsAnswer },
      handle: async (ctx, { params }) => ({ status: 200, data: viewGroupStats(await readGroupStats(deps, ctx, params.id)) }),
    }),
  ];
}

function writeRoutes(deps: GroupDeps): Route[] {
  const common = { tag, auth: { access: 'project', role: 'editor' } } as const;
  const change = (method: 'PUT' | 'PATCH') =>
    defineRoute({
      ...common, method, path: '/api/groups/:id', summary: 'Change a group', audit: 'group.updated',
      description: 'Changes only the fields in the request; `PUT` and `PATCH` work alike.',
      params: idParams,
      body: groupChangeInput,
      errors: ['RESOURCE_NOT_FOUND', 'DUPLICATE_NAME', 'CIRCULAR_REFERENCE', 'MAX_DEPTH_EXCEEDED', 'CONFLICT'],
      answers: { 200: groupView },
      handle: async (ctx, { params, body }) => {
        const group = await changeGroup(deps, ctx, params.id, body);
        return { status: 200, data: viewGroup(await countGroup(deps, ctx, group)) };
      },
    });
  return [
    defineRoute({
      ...common, method: 'POST', path: '/api/groups', summary: 'Create a group', audit: 'group.created',
      body: groupInput,
      errors: ['DUPLICATE_NAME', 'CIRCULAR_REFERENCE', 'MAX_DEPTH_EXCEEDED', 'FAIR_USE_LIMIT_REACHED', 'CONFLICT'],
      answers: { 201: groupView },
      handle: async (ctx, { body }) => ({ status: 201, data: viewGroup({ group: await createGroup(deps, ctx, body), checkCount: 0 }) }),
    }),
    change('PUT'),
    change('PATCH'),
    defineRoute({
      ...common, method: 'DELETE', path: '/api/groups/:id', summary: 'Delete a group', audit: 'group.deleted',
      description: 'Its children and its monitors move to its parent.',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
      answers: { 200: deletedAnswer },
      handle: async (ctx, { params }) => {
        await deleteGroup(deps, ctx, params.id);
        return { status: 200, data: { message: 'Group deleted successfully' } };
      },
    }),
  ];
}
