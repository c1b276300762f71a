import { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, ok, type Route } from '../http/routing/route.ts';
import { changesQuery, changeView, markerInput, markerView } from './schema.ts';
import { type ChangeDeps, createMarker, listChanges } from './verbs.ts';

const tag = 'Changes';

export function changeRoutes(deps: ChangeDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/monitors/:id/changes', tag, summary: 'List the changes of a monitor\'s target',
      description: 'Newest first, including markers about the monitor. The newest 500 changes are kept.',
      auth: { access: 'project', role: 'viewer' }, params: idParams, query: changesQuery,
      errors: ['MONITOR_NOT_FOUND'], responses: { 200: z.strictObject({ changes: z.array(changeView) }) },
      handle: async (ctx, { params, query }) =>
        ok({ changes: await listChanges(deps, ctx, params.id, query) }),
    }),
    defineRoute({
      method: 'POST', path: '/api/markers', tag, audit: 'marker.created', summary: 'Create a marker',
      description: 'A text, such as the version of a deployment, that is listed among the changes of the monitors in '
        + '`monitor_ids`, of those with one of `tags`, or of all monitors of the project if both are absent.',
      auth: { access: 'project', role: 'editor' }, body: markerInput,
      errors: ['MONITOR_NOT_FOUND'], responses: { 201: z.strictObject({ marker: markerView }) },
      handle: async (ctx, { body }) =>
        ({ status: 201, data: { marker: await createMarker(deps, ctx, body) } }),
    }),
  ];
}
