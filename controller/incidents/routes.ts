import { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { acknowledgeRoutes } from './acknowledging/routes.ts';
import type { AcknowledgeDeps } from './acknowledging/verbs.ts';
import {
  incidentUpdateView, incidentView, incidentVotesView, notificationView, readIncidentView, timelineEntryView,
} from './responses.ts';
import { changeRoutes } from './change-routes.ts';
import { commentRoutes } from './comment-routes.ts';
import { incidentListQuery, notificationListQuery } from './schema.ts';
import {
  changesBeforeIncident, listIncidentNotifications, listIncidents, listIncidentUpdates, listIncidentVotes,
  readIncident,
} from './verbs/read-incidents.ts';
import { MAX_PER_KIND, readTimeline } from './verbs/read-timeline.ts';
import {
  viewFullIncident, viewIncident, viewIncidentUpdate, viewNotification, viewTimelineEntry, viewVotes,
} from './views.ts';

const common = { tag: 'Incidents', auth: { access: 'project', role: 'viewer' } } as const;
const ofOne = { ...common, params: idParams, errors: ['RESOURCE_NOT_FOUND'] as const };

export function incidentRoutes(deps: AcknowledgeDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/incidents', summary: 'List incidents',
      query: incidentListQuery,
      responses: {
        200: z.strictObject({
          incidents: z.array(incidentView),
          pagination: z.strictObject({
            page: z.int(), limit: z.int(), total_count: z.int(), has_more: z.boolean(),
          }),
        }),
      },
      handle: async (ctx, { query }) => {
        const { incidents, total } = await listIncidents(deps, ctx, query);
        const { page, limit } = query;
        const pagination = { page, limit, total_count: total, has_more: page * limit < total };
        return { status: 200, data: { incidents: incidents.map(viewIncident), pagination } };
      },
    }),
    defineRoute({
      ...ofOne, method: 'GET', path: '/api/incidents/:id', summary: 'Read an incident',
      responses: { 200: z.strictObject({ incident: readIncidentView }) },
      handle: async (ctx, { params }) => {
        const incident = await readIncident(deps, ctx, params.id);
        const changes = await changesBeforeIncident(deps, ctx, incident);
        return { status: 200, data: { incident: { changes, ...viewFullIncident(incident) } } };
      },
    }),
    defineRoute({
      ...ofOne, method: 'GET', path: '/api/incidents/:id/updates',
      summary: 'Read the history of an incident, oldest first',
      responses: { 200: z.strictObject({ updates: z.array(incidentUpdateView) }) },
      handle: async (ctx, { params }) => {
        const updates = await listIncidentUpdates(deps, ctx, params.id);
        return { status: 200, data: { updates: updates.map(viewIncidentUpdate) } };
      },
    }),
    defineRoute({
      ...ofOne, method: 'GET', path: '/api/incidents/:id/notifications',
      auth: { access: 'project', role: 'viewer', keys: false },
      summary: 'Read the notification log of an incident, newest first',
      query: notificationListQuery,
      responses: {
        200: z.strictObject({
          notifications: z.array(notificationView),
          pagination: z.strictObject({
            page: z.int(), pageSize: z.int(), total: z.int(), totalPages: z.int(),
            hasNext: z.boolean(), hasPrevious: z.boolean(),
          }),
        }),
      },
      handle: async (ctx, { params, query }) => {
        const { deliveries, total } = await listIncidentNotifications(deps, ctx, params.id, query);
        const { page, pageSize } = query;
        const totalPages = Math.ceil(total / pageSize);
        const [hasNext, hasPrevious] = [page < totalPages, page > 1];
        const pagination = { page, pageSize, total, totalPages, hasNext, hasPrevious };
        return { status: 200, data: { notifications: deliveries.map(viewNotification), pagination } };
      },
    }),
    defineRoute({
      ...ofOne, method: 'GET', path: '/api/incidents/:id/votes',
      summary: 'Read the votes of the regions when an incident started and ended',
      responses: { 200: incidentVotesView },
      handle: async (ctx, { params }) => {
        const records = await listIncidentVotes(deps, ctx, params.id);
        return { status: 200, data: viewVotes(records) };
      },
    }),
    ...changeRoutes(deps),
    ...commentRoutes(deps),
    ...acknowledgeRoutes(deps),
    defineRoute({
      ...ofOne, method: 'GET', path: '/api/incidents/:id/timeline',
      summary: 'Read the timeline of an incident, oldest first',
      description: 'Results and status changes of its monitor, its own history, notifications and comments '
        + `in one list: the newest ${MAX_PER_KIND} of each kind. `
        + 'API keys do not get notifications and comments.',
      responses: {
        200: z.strictObject({
          timeline: z.array(timelineEntryView),
          is_truncated: z.boolean().describe('True when there are more entries than were returned'),
        }),
      },
      handle: async (ctx, { params }) => {
        const { entries, isTruncated } = await readTimeline(deps, ctx, params.id);
        return { status: 200, data: { timeline: entries.map(viewTimelineEntry), is_truncated: isTruncated } };
      },
    }),
  ];
}
