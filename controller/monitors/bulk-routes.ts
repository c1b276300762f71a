import { defineRoute, type Route } from '../http/route.ts';
import { bulkAnswer } from './answers.ts';
import type { MonitorDeps } from './deps.ts';
import { bulkInput } from './schema.ts';
import { changeInBulk } from './verbs/bulk-monitors.ts';

const DONE = { pause: 'paused', resume: 'resumed', delete: 'deleted', tag: 'tagged', move: 'moved' } as const;

/** The same done to many monitors by one request. */
export function bulkRoutes(deps: MonitorDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/monitors/bulk',
      summary: 'Change many monitors',
      description: 'Changes every monitor that it can; `failures` lists the others. `tag` adds to the '
        + 'existing tags.',
      tag: 'Monitors',
      auth: { access: 'project', role: 'editor' },
      audit: 'monitors.changed',
      body: bulkInput,
      answers: { 200: bulkAnswer },
      handle: async (ctx, { body }) => {
        const { changed, failures } = await changeInBulk(deps, ctx, body);
        const message = `${changed.length} ${changed.length === 1 ? 'monitor' : 'monitors'} ${DONE[body.action]}`;
        return { status: 200, data: { affected_count: changed.length, monitor_ids: changed, message, failures } };
      },
    }),
  ];
}
