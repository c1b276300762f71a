import { idParams } from '../http/input/validation.ts';
import { defineRoute, messageResponse, okMessage, type ProjectContext, type Route } from '../http/routing/route.ts';
import { bulkResponse, monitorResponse } from './responses.ts';
import type { MonitorDeps } from './deps.ts';
import type { MonitorDoc } from './monitor.ts';
import { bulkInput, monitorInputs } from './schema.ts';
import { changeInBulk } from './verbs/bulk-monitors.ts';
import { liveOf } from './verbs/read-monitors.ts';
import { createMonitor, deleteMonitor, setMonitorStatus, updateMonitor } from './verbs/write-monitor.ts';
import { viewBulk, viewMonitor } from './views.ts';

const LIMIT_ERRORS = [
  'VALIDATION_FAILED', 'INTERVAL_TOO_SHORT', 'PLAN_LIMIT_EXCEEDED', 'FAIR_USE_LIMIT_REACHED',
  'SLUG_ALREADY_TAKEN',
] as const;
const DONE = {
  pause: 'paused', resume: 'resumed', delete: 'deleted', tag: 'tagged', untag: 'untagged', move: 'moved',
} as const;

const common = { tag: 'Monitors', auth: { access: 'project', role: 'editor' } } as const;
const ofOne = {
  ...common, path: '/api/monitors/:id', params: idParams, errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
} as const;

export function writeRoutes(deps: MonitorDeps): Route[] {
  const inputs = monitorInputs(deps.minIntervalSeconds);
  return [
    defineRoute({
      ...common, method: 'POST', path: '/api/monitors', audit: 'monitor.created', summary: 'Create a monitor',
      body: inputs.create,
      errors: ['MONITOR_LIMIT_REACHED', ...LIMIT_ERRORS],
      responses: { 201: monitorResponse },
      handle: async (ctx, { body }) => {
        const doc = await createMonitor(deps, ctx, body);
        return { status: 201, data: { monitor: viewMonitor(doc, null, ctx.role) } };
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...ofOne, method, audit: 'monitor.changed', summary: 'Change a monitor',
      description: 'Changes only the fields in the request. You can send back the result of a read.',
      body: inputs.update,
      errors: ['MONITOR_NOT_FOUND', 'CONFLICT', ...LIMIT_ERRORS],
      responses: { 200: monitorResponse },
      handle: async (ctx, { params, body }) =>
        respondWith(deps, ctx, await updateMonitor(deps, ctx, params.id, body)),
    })),
    defineRoute({
      ...ofOne, method: 'DELETE', audit: 'monitor.deleted', summary: 'Delete a monitor',
      responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(deleteMonitor(deps, ctx, params.id), 'Monitor deleted successfully'),
    }),
    ...transitionRoutes(deps),
    defineRoute({
      ...common, method: 'POST', path: '/api/monitors/bulk', audit: 'monitors.changed',
      summary: 'Change many monitors',
      description: 'Changes as many monitors as possible; `failures` lists the others. `tag` adds '
        + 'tags, `untag` removes them.',
      body: bulkInput,
      responses: { 200: bulkResponse },
      handle: async (ctx, { body }) => {
        const { changed, failures } = await changeInBulk(deps, ctx, body);
        return { status: 200, data: { failures, ...viewBulk(changed, DONE[body.action]) } };
      },
    }),
  ];
}

const TRANSITIONS = [
  {
    transition: 'pause', audit: 'monitor.paused', summary: 'Pause a monitor',
    failure: { code: 'MONITOR_PAUSE_FAILED', message: 'The monitor could not be paused' },
  },
  { transition: 'resume', audit: 'monitor.resumed', summary: 'Resume a paused or disabled monitor' },
  { transition: 'disable', audit: 'monitor.disabled', summary: 'Disable a monitor' },
] as const;

function transitionRoutes(deps: MonitorDeps): Route[] {
  return TRANSITIONS.map(({ transition, ...facts }) =>
    defineRoute({
      ...ofOne, ...facts, method: 'POST', path: `/api/monitors/:id/${transition}`,
      responses: { 200: monitorResponse },
      handle: async (ctx, { params }) =>
        respondWith(deps, ctx, await setMonitorStatus(deps, ctx, params.id, transition)),
    }),
  );
}

async function respondWith(deps: MonitorDeps, { role }: Pick<ProjectContext, 'role'>, doc: MonitorDoc) {
  return { status: 200, data: { monitor: viewMonitor(doc, await liveOf(deps, doc), role) } } as const;
}
