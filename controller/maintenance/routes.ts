import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../http/routing/route.ts';
import type { MaintenanceDeps } from './deps.ts';
import * as schema from './schema.ts';
import {
  changeWindow, createWindow, deleteWindow, listOccurrences, listWindows, previewOccurrences, readWindow,
} from './verbs.ts';
import { viewOccurrence, viewWindow } from './views.ts';

const path = '/api/projects/:projectId/maintenance-windows';
const all = { path, params: schema.projectParams, tag: 'Maintenance windows' } as const;
const one = {
  ...all, path: `${path}/:id`, params: schema.windowParams, errors: ['RESOURCE_NOT_FOUND'],
} as const;
const viewer = { access: 'path-project', role: 'viewer' } as const;
const editor = { access: 'path-project', role: 'editor' } as const;
const responses = { 200: schema.windowResponse } as const;

export function maintenanceRoutes(deps: MaintenanceDeps): Route[] {
  return [
    defineRoute({
      ...all, auth: viewer, method: 'GET', summary: 'List the maintenance windows of a project, newest first',
      responses: { 200: schema.windowListResponse },
      handle: async (ctx) => {
        const windows = await listWindows(deps, ctx);
        return ok({ maintenance_windows: windows.map((window) => viewWindow(window, ctx.now)) });
      },
    }),
    defineRoute({
      ...all, auth: viewer, method: 'GET', path: `${path}/occurrences`,
      summary: 'List the occurrences of maintenance windows in a project, by time', query: schema.occurrencesQuery,
      responses: { 200: schema.occurrencesResponse },
      handle: async (ctx, { query }) => {
        const found = await listOccurrences(deps, ctx, query);
        const occurrences = found.map(({ window: { _id, title }, occurrence }) => (
          { maintenance_window_id: _id, title, ...viewOccurrence(occurrence) }
        ));
        return ok({ occurrences });
      },
    }),
    defineRoute({
      ...all, auth: editor, method: 'POST', path: `${path}/preview`, audit: false,
      summary: 'Preview the next ten occurrences of an unsaved window', body: schema.previewInput,
      responses: { 200: schema.previewResponse },
      handle: async (ctx, { body }) => {
        const found = await previewOccurrences(deps, ctx, body);
        return ok({ occurrences: found.map(viewOccurrence) });
      },
    }),
    defineRoute({
      ...one, auth: viewer, method: 'GET', summary: 'Read a maintenance window', responses,
      handle: async (ctx, { params }) => {
        return ok({ maintenance_window: viewWindow(await readWindow(deps, ctx, params.id), ctx.now) });
      },
    }),
    defineRoute({
      ...all, auth: editor, method: 'POST', summary: 'Create a maintenance window',
      audit: 'maintenance_window.created', body: schema.windowInput,
      errors: ['FAIR_USE_LIMIT_REACHED'], responses: { 201: schema.windowResponse },
      handle: async (ctx, { body }) => {
        return created({ maintenance_window: viewWindow(await createWindow(deps, ctx, body), ctx.now) });
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, auth: editor, method, summary: 'Change a maintenance window', responses,
      description: 'Changes only the fields in the request. Past occurrences stay unchanged.',
      audit: 'maintenance_window.updated', body: schema.windowChangeInput,
      errors: [...one.errors, 'CONFLICT'],
      handle: async (ctx, { params, body }) => {
        const window = await changeWindow(deps, ctx, params.id, body);
        return ok({ maintenance_window: viewWindow(window, ctx.now) });
      },
    })),
    defineRoute({
      ...one, auth: editor, method: 'DELETE', summary: 'Delete a maintenance window',
      description: 'Ends it if it is in progress.', audit: 'maintenance_window.deleted',
      errors: [...one.errors, 'CONFLICT'], responses: { 200: messageResponse },
      handle: (ctx, { params }) => {
        return okMessage(deleteWindow(deps, ctx, params.id), 'Maintenance window deleted successfully');
      },
    }),
  ];
}
