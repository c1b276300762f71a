import { z } from 'zod';
import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { incidentListQuery, notificationListQuery } from './schema.ts';
import { listIncidentNotifications, listIncidents, listIncidentUpdates, readIncident, type IncidentDeps } from './verbs/read-incidents.ts';
import { fullIncidentView, incidentUpdateView, incidentView, notificationView, showFullIncident, showIncident, showIncidentUpdate, showNotification } from './views.ts';

const tag = 'Incidents';
const byViewer = { access: 'project', role: 'viewer' } as const;

/** Reading incidents, their history and their notification log. */
export function incidentRoutes(deps: IncidentDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/incidents', summary: 'List incidents', tag, auth: byViewer,
      query: incidentListQuery,
      answers: {
        200: z.strictObject({
          incidents: z.array(incidentView),
          pagination: z.strictObject({ page: z.int(), limit: z.int(), total_count: z.int(), has_more: z.boolean() }),
        }),
      },
      handle: async (ctx, { query }) => {
        const { incidents, total } = await listIncidents(deps, ctx, query);
        const { page, limit } = query;
        const pagination = { page, limit, total_count: total, has_more: page * limit < total };
        return { status: 200, data: { incidents: incidents.map(showIncident), pagination } };
      },
    }),
    defineRoute({
      method: 'GET', path: '/api/incidents/:id', summary: 'Read an incident', tag, auth: byViewer,
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND'],
      answers: { 200: z.strictObject({ incident: fullIncidentView }) },
      handle: async (ctx, { params }) => ({ status: 200, data: { incident: showFullIncident(await readIncident(deps, ctx, params.id)) } }),
    }),
    defineRoute({
      method: 'GET', path: '/api/incidents/:id/updates', summary: 'Read the history of an incident, oldest first', tag, auth: byViewer,
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND'],
      answers: { 200: z.strictObject({ updates: z.array(incidentUpdateView) }) },
      handle: async (ctx, { params }) => {
        const updates = await listIncidentUpdates(deps, ctx, params.id);
        return { status: 200, data: { updates: updates.map(showIncidentUpdate) } };
      },
    }),
    defineRoute({
      method: 'GET', path: '/api/incidents/:id/notifications', summary: 'Read the notification log of an incident, newest first', tag,
      auth: { access: 'project', role: 'viewer', keys: false },
      params: idParams,
      query: notificationListQuery,
      errors: ['RESOURCE_NOT_FOUND'],
      answers: {
        200: z.strictObject({
          notifications: z.array(notificationView),
          pagination: z.strictObject({
            page: z.int(), pageSize: z.int(), total: z.int(), totalPages: z.int(), hasNext: z.boolean(), hasPrevious: z.boolean(),
          }),
        }),
      },
      handle: async (ctx, { params, query }) => {
        const { entries, total } = await listIncidentNotifications(deps, ctx, params.id, query);
        const { page, pageSize } = query;
        const totalPages = Math.ceil(total / pageSize);
        const pagination = { page, pageSize, total, totalPages, hasNext: page < totalPages, hasPrevious: page > 1 };
        return { status: 200, data: { notifications: entries.map(showNotification), pagination } };
      },
    }),
  ];
}
