import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { evidenceResponse, evidenceQuery } from './responses.ts';
import { readIncidentEvidence, readMonitorEvidence, type EvidenceDeps } from './verbs/read-evidence.ts';
import { viewEvidence } from './views.ts';

const DESCRIPTION = 'The response of the target, complete or partial, next to the last successful one. Newest first. '
  + 'The request is not included.';

/** Evidence of failed checks. Only editors may read it, because a target may echo the request. */
export function evidenceRoutes(deps: EvidenceDeps): Route[] {
  const common = {
    method: 'GET', auth: { access: 'project', role: 'editor' }, params: idParams,
    responses: { 200: evidenceResponse },
  } as const;
  return [
    defineRoute({
      ...common, path: '/api/monitors/:id/evidence', tag: 'Monitors',
      summary: 'Read the evidence of the failed checks of a monitor', description: DESCRIPTION,
      query: evidenceQuery,
      errors: ['MONITOR_NOT_FOUND'],
      handle: async (ctx, { params, query }) => {
        const found = await readMonitorEvidence(deps, ctx, params.id, query.limit);
        return { status: 200, data: { evidence: found.map(viewEvidence) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/incidents/:id/evidence', tag: 'Incidents',
      summary: 'Read the evidence of the failed checks of an incident',
      description: `${DESCRIPTION} Covers the time from one check interval before the incident started until it was resolved.`,
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async (ctx, { params }) => {
        const found = await readIncidentEvidence(deps, ctx, params.id);
        return { status: 200, data: { evidence: found.map(viewEvidence) } };
      },
    }),
  ];
}
