import { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { fullIncidentView, incidentView } from './responses.ts';
import type { IncidentDeps } from './deps.ts';
import type { IncidentDoc } from './incident.ts';
import { incidentChangeInput, incidentInput, postmortemInput, statusInput } from './schema.ts';
import {
  acknowledgeIncident, changeStatus, updateIncident, writePostmortem,
} from './verbs/change-incident.ts';
import { createIncident } from './verbs/create-incident.ts';
import { viewFullIncident, viewIncident } from './views.ts';

/** Project editors and admins manage incidents. */
const common = { tag: 'Incidents', auth: { access: 'project', role: 'editor' } } as const;
const ofOne = { ...common, params: idParams, errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'] as const };

const incident = z.strictObject({ incident: incidentView });
const statusResponse = z.strictObject({
  success: z.literal(true),
  incident: incidentView,
  recovery_time_seconds: z.int().describe('Present when this change resolved the incident').optional(),
});

/** Routes that open and change incidents. */
export function changeRoutes(deps: IncidentDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'POST', path: '/api/incidents', audit: 'incident.created',
      summary: 'Open an incident',
      description: 'Such an incident can only be changed through the API: checks do not resolve it, and it sends no alerts.',
      body: incidentInput,
      responses: { 201: incident },
      handle: async (ctx, { body }) => {
        return { status: 201, data: { incident: viewIncident(await createIncident(deps, ctx, body)) } };
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...ofOne, method, path: '/api/incidents/:id', audit: 'incident.updated',
      summary: 'Change the details of an incident',
      description: 'Send at least one of severity, error_message, affected_regions and description. A closed '
        + 'incident cannot be changed.',
      body: incidentChangeInput,
      responses: { 200: incident },
      handle: async (ctx, { params, body }) => {
        const updated = await updateIncident(deps, ctx, params.id, body);
        return { status: 200, data: { incident: viewIncident(updated) } };
      },
    })),
    defineRoute({
      ...ofOne, method: 'PUT', path: '/api/incidents/:id/status', audit: 'incident.status_changed',
      summary: 'Change the status of an incident',
      description: 'open → acknowledged, resolved; acknowledged → resolved, closed; resolved → closed. '
        + 'Closed is final. If checks opened the incident and the monitor is still down 5 minutes after it was '
        + 'resolved or closed here, a new incident opens and sends alerts.',
      body: statusInput,
      responses: { 200: statusResponse },
      handle: async (ctx, { params, body }) => {
        const moved = await changeStatus(deps, ctx, params.id, body);
        return { status: 200, data: viewStatusChange(moved, body.status === 'resolved') };
      },
    }),
    defineRoute({
      ...ofOne, method: 'POST', path: '/api/incidents/:id/acknowledge', audit: 'incident.acknowledged',
      summary: 'Acknowledge an open incident',
      responses: { 200: statusResponse },
      handle: async (ctx, { params }) => {
        const change = await acknowledgeIncident(deps, ctx, params.id);
        return { status: 200, data: viewStatusChange(change, false) };
      },
    }),
    defineRoute({
      ...ofOne, method: 'PUT', path: '/api/incidents/:id/postmortem', audit: 'incident.postmortem_written',
      summary: 'Write the postmortem of an incident',
      body: postmortemInput,
      responses: { 200: z.strictObject({ incident: fullIncidentView }) },
      handle: async (ctx, { params, body }) => {
        const written = await writePostmortem(deps, ctx, params.id, body.text);
        return { status: 200, data: { incident: viewFullIncident(written) } };
      },
    }),
  ];
}

function viewStatusChange(changed: IncidentDoc, isResolution: boolean): z.input<typeof statusResponse> {
  const seconds = isResolution ? changed.recovery_time_seconds : null;
  const recovery = seconds === null ? {} : { recovery_time_seconds: seconds };
  return { success: true, incident: viewIncident(changed), ...recovery };
}
