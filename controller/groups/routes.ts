import { idParams } from '../http/input/validation.ts';
import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../http/routing/route.ts';
import { CONCEALMENT } from '../monitors/settings/sent-settings.ts';
import { viewBulk } from '../monitors/views.ts';
import * as responses from './responses.ts';
import type { GroupDeps } from './deps.ts';
import * as schema from './schema.ts';
import { assignMonitors, changeMembers, deleteMembers, moveMembers } from './verbs/change-members.ts';
import {
  countMembers, listGroups, readGroup, readGroupStats, readHealthSummary, readHierarchy,
} from './verbs/read-groups.ts';
import { changeGroup, createGroup, deleteGroup } from './verbs/write-group.ts';
import { viewGroup, viewHierarchy, viewWholeGroup } from './views.ts';

const tag = 'Groups';
const one = { path: '/api/groups/:id', params: idParams, errors: ['RESOURCE_NOT_FOUND'] } as const;

export function groupRoutes(deps: GroupDeps): Route[] {
  return [...readRoutes(deps), ...writeRoutes(deps), ...memberRoutes(deps)];
}

function readRoutes(deps: GroupDeps): Route[] {
  const common = { method: 'GET', tag, auth: { access: 'project', role: 'viewer' } } as const;
  const figures = { ...common, auth: { access: 'project', role: 'viewer', keys: false } } as const;
  return [
    defineRoute({
      ...common, path: '/api/groups', summary: 'List groups, newest first',
      query: schema.groupListQuery, errors: ['INVALID_PAGE', 'INVALID_LIMIT'],
      responses: { 200: responses.groupListResponse },
      handle: async (ctx, { query }) => {
        const { groups, counts, ...paging } = await listGroups(deps, ctx, query);
        return ok({ groups: groups.map((group) => viewGroup(group, counts)), ...paging });
      },
    }),
    defineRoute({
      ...common, path: '/api/groups/hierarchy', summary: 'Read all groups as a tree, sorted by name',
      responses: { 200: responses.hierarchyResponse },
      handle: async (ctx) => {
        const { groups, counts } = await readHierarchy(deps, ctx);
        return ok({ groups: viewHierarchy(groups, counts) });
      },
    }),
    defineRoute({
      ...common, ...one, summary: 'Read a group with its monitors, children and path',
      responses: { 200: responses.groupView },
      description: CONCEALMENT,
      handle: async (ctx, { params }) => ok(viewWholeGroup(await readGroup(deps, ctx, params.id), ctx.role)),
    }),
    defineRoute({
      ...figures, path: '/api/groups/health-summary',
      summary: 'Read the health of every group, sorted by name',
      responses: { 200: responses.healthSummaryResponse },
      handle: async (ctx) => ok(await readHealthSummary(deps, ctx)),
    }),
    defineRoute({
      ...figures, ...one, path: '/api/groups/:id/stats', summary: 'Read the statistics of a group',
      responses: { 200: responses.groupStatsResponse },
      handle: async (ctx, { params }) => ok(await readGroupStats(deps, ctx, params.id)),
    }),
  ];
}

function writeRoutes(deps: GroupDeps): Route[] {
  const common = { tag, auth: { access: 'project', role: 'editor' } } as const;
  const treeErrors = ['DUPLICATE_NAME', 'CIRCULAR_REFERENCE', 'MAX_DEPTH_EXCEEDED', 'CONFLICT'] as const;
  return [
    defineRoute({
      ...common, method: 'POST', path: '/api/groups', summary: 'Create a group', audit: 'group.created',
      body: schema.groupInput, errors: [...treeErrors, 'FAIR_USE_LIMIT_REACHED'],
      responses: { 201: responses.groupView },
      handle: async (ctx, { body }) => created(viewGroup(await createGroup(deps, ctx, body), new Map())),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...common, ...one, method, summary: 'Change a group', audit: 'group.updated',
      description: 'Changes only the fields in the request. `PUT` and `PATCH` behave the same.',
      body: schema.groupChangeInput, errors: [...one.errors, ...treeErrors],
      responses: { 200: responses.groupView },
      handle: async (ctx, { params, body }) => {
        const group = await changeGroup(deps, ctx, params.id, body);
        return ok(viewGroup(group, await countMembers(deps, ctx, [group])));
      },
    })),
    defineRoute({
      ...common, ...one, method: 'DELETE', summary: 'Delete a group', audit: 'group.deleted',
      description: 'Its child groups and monitors move to its parent.',
      errors: [...one.errors, 'CONFLICT'], responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(deleteGroup(deps, ctx, params.id), 'Group deleted successfully'),
    }),
  ];
}

function memberRoutes(deps: GroupDeps): Route[] {
  const errors = [...one.errors, 'CONFLICT'] as const;
  const common = { ...one, method: 'POST', tag, errors, responses: { 200: responses.bulkResponse } } as const;
  const bulk = { ...common, auth: { access: 'project', role: 'editor', keys: false } } as const;
  const transition = (action: 'pause' | 'resume', summary: string, participle: string) =>
    defineRoute({
      ...bulk, path: `/api/groups/:id/bulk-${action}`, summary, audit: `group.monitors_${participle}`,
      handle: (ctx, { params }) => changed(changeMembers(deps, ctx, params.id, { action }), participle),
    });
  return [
    defineRoute({
      ...common, path: '/api/groups/:id/monitors', summary: 'Add monitors to a group',
      auth: { access: 'project', role: 'editor' }, audit: 'group.monitors_added', body: schema.assignInput,
      handle: (ctx, { params, body }) => {
        return changed(assignMonitors(deps, ctx, params.id, body.monitor_ids), 'added');
      },
    }),
    transition('pause', 'Pause all active monitors of a group', 'paused'),
    transition('resume', 'Resume the paused monitors of a group', 'resumed'),
    defineRoute({
      ...bulk, path: '/api/groups/:id/bulk-move', summary: 'Move all monitors of a group to another',
      audit: 'group.monitors_moved', body: schema.moveInput,
      handle: (ctx, { params, body }) => {
        return changed(moveMembers(deps, ctx, params.id, body.target_group_id), 'moved');
      },
    }),
    defineRoute({
      ...bulk, path: '/api/groups/:id/bulk-delete', summary: 'Delete all monitors of a group',
      description: 'The group itself is kept.', audit: 'group.monitors_deleted',
      body: schema.bulkDeleteInput, errors: [...errors, 'CONFIRMATION_REQUIRED'],
      handle: (ctx, { params, body }) => {
        return changed(deleteMembers(deps, ctx, params.id, body.confirm === true), 'deleted');
      },
    }),
  ];
}

async function changed(ids: Promise<string[]>, participle: string) {
  return ok(viewBulk(await ids, participle));
}
