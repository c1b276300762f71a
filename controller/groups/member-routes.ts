import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { bulkAnswer } from './answers.ts';
import type { GroupDeps } from './deps.ts';
import { assignInput, bulkDeleteInput, moveInput } from './schema.ts';
import { assignMonitors, changeMembers, deleteMembers, moveMembers } from './verbs/change-members.ts';

const common = { method: 'POST', tag: 'Groups', params: idParams, answers: { 200: bulkAnswer } } as const;
const bulk = { ...common, auth: { access: 'project', role: 'editor', keys: false } } as const;
const errors = ['RESOURCE_NOT_FOUND', 'CONFLICT'] as const;

/** What is done to the monitors of a group. */
export function memberRoutes(deps: GroupDeps): Route[] {
  const transition = (kind: 'pause' | 'resume', summary: string, done: string) =>
    defineRoute({
      ...bulk, path: `/api/groups/:id/bulk-${kind}`, summary, errors, audit: `group.monitors_${done}`,
      handle: async (ctx, { params }) => answer(await changeMembers(deps, ctx, params.id, { kind }), done),
    });
  return [
    defineRoute({
      ...common, auth: { access: 'project', role: 'editor' }, path: '/api/groups/:id/monitors', summary: 'Add monitors to a group', audit: 'group.monitors_added',
      body: assignInput,
      errors,
      handle: async (ctx, { params, body }) => answer(await assignMonitors(deps, ctx, params.id, body.monitor_ids), 'added'),
    }),
    transition('pause', 'Pause all active monitors of a group', 'paused'),
    transition('resume', 'Resume the paused monitors of a group', 'resumed'),
    defineRoute({
      ...bulk, path: '/api/groups/:id/bulk-move', summary: 'Move all monitors of a group to another', audit: 'group.monitors_moved',
      body: moveInput,
      errors,
      handle: async (ctx, { params, body }) => answer(await moveMembers(deps, ctx, params.id, body.target_group_id), 'moved'),
    }),
    defineRoute({
      ...bulk, path: '/api/groups/:id/bulk-delete', summary: 'Delete all monitors of a group', audit: 'group.monitors_deleted',
      description: 'The group itself is kept.',
      body: bulkDeleteInput,
      errors: [...errors, 'CONFIRMATION_REQUIRED'],
      handle: async (ctx, { params, body }) => answer(await deleteMembers(deps, ctx, params.id, body.confirm === true), 'deleted'),
    }),
  ];
}

function answer(ids: string[], done: string): { status: 200; data: { affected_count: number; monitor_ids: string[]; message: string } } {
  return { status: 200, data: { affected_count: ids.length, monitor_ids: ids, message: `${ids.length} ${ids.length === 1 ? 'monitor' : 'monitors'} ${done}` } };
}
