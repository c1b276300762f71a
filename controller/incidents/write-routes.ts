import { z } from 'zod';
import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { IncidentDoc } from './incident.ts';
import { fullIncidentView, incidentView, showFullIncident, showIncident } from './views.ts';
import { incidentChangeInput, incidentInput, postmortemInput, statusInput } from './write-schema.ts';
import { acknowledgeIncident, changeStatus, createIncident, updateIncident, writePostmortem, type IncidentWriteDeps } from './verbs/write-incident.ts';

/** Who may manage incidents: project editors and admins. */
const common = { tag: 'Incidents', auth: { access: 'project', role: 'editor' } } as const;

const statusAnswer = z.strictObject({
  success: z.literal(true),
  incident: incidentView,
  recovery_time_seconds: z.int().describe('Present when this change resolved the incident').optional(),
});

/** Making incidents, moving them on, describing them. */
export function incidentWriteRoutes(deps: IncidentWriteDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'POST', path: '/api/incidents', summary: 'Open an incident', audit: 'incident.created',
      description: 'Only the API changes such an incident: checks do not resolve it, and it sends no alerts.',
      body: incidentInput,
      answers: { 201: z.strictObject({ incident: incidentView }) },
      handle: async (ctx, { body }) => ({ status: 201, data: { incident: showIncident(await createIncident(deps, ctx, body)) } }),
    }),
    updateRoute(deps, 'PUT'),
    updateRoute(deps, 'PATCH'),
    ...statusRoutes(deps),
    defineRoute({
      ...common, method: 'PUT', path: '/api/incidents/:id/postmortem', summary: 'Write the postmortem of an incident', audit: 'incident.postmortem_written',
      params: idParams,
      body: postmortemInput,
      errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
      answers: { 200: z.strictObject({ incident: fullIncidentView }) },
      handle: async (ctx, { params, body }) => ({ status: 200, data: { incident: showFullIncident(await writePostmortem(deps, ctx, params.id, body.text)) } }),
    }),
  ];
}

function updateRoute(deps: IncidentWriteDeps, method: 'PUT' | 'PATCH'): Route {
  return defineRoute({
    ...common, method, path: '/api/incidents/:id', summary: 'Change the details of an incident', audit: 'incident.updated',
    description: 'Send at least one of severity, error_message, affected_regions and description. A closed '
      + 'incident cannot be changed.',
    params: idParams,
    body: incidentChangeInput,
    errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
    answers: { 200: z.strictObject({ incident: incidentView }) },
    handle: async (ctx, { params, body }) => {
      const { severity, error_message, affected_regions, description } = body;
      const incident = await updateIncident(deps, ctx, params.id, { severity, error_message, affected_regions, description });
      return { status: 200, data: { incident: showIncident(incident) } };
    },
  });
}

function statusRoutes(deps: IncidentWriteDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'PUT', path: '/api/incidents/:id/status', summary: 'Move an incident to another status', audit: 'incident.status_changed',
      description: 'open → acknowledged, resolved; acknowledged → resolved, closed; resolved → closed. Closed is final.',
      params: idParams,
      body: statusInput,
      errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
      answers: { 200: statusAnswer },
      handle: async (ctx, { params, body }) => ({ status: 200, data: statusReply(await changeStatus(deps, ctx, params.id, body), body.status === 'resolved') }),
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/incidents/:id/acknowledge', summary: 'Acknowledge an open incident', audit: 'incident.acknowledged',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND', 'CONFLICT'],
      answers: { 200: statusAnswer },
      handle: async (ctx, { params }) => ({ status: 200, data: statusReply(await acknowledgeIncident(deps, ctx, params.id), false) }),
    }),
  ];
}

function statusReply(incident: IncidentDoc, isResolution: boolean): z.input<typeof statusAnswer> {
  const seconds = isResolution ? incident.recovery_time_seconds : null;
  return { success: true, incident: showIncident(incident), ...(seconds === null ? {} : { recovery_time_seconds: seconds }) };
}
