import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { diagnosisResponse } from './responses.ts';
import { diagnoseNow, readDiagnosis, type DiagnosisDeps } from './verbs.ts';
import { viewDiagnosis } from './views.ts';

export function diagnosisRoutes(deps: DiagnosisDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/incidents/:id/diagnosis', tag: 'Incidents', auth: { access: 'project', role: 'viewer' },
      summary: 'Read where the outage of an incident comes from',
      description: 'What probes found out when the outage began. Not found before they have.',
      params: idParams, errors: ['RESOURCE_NOT_FOUND'], responses: { 200: diagnosisResponse },
      handle: async (ctx, { params }) => {
        return { status: 200, data: { diagnosis: viewDiagnosis(await readDiagnosis(deps, ctx, params.id)) } };
      },
    }),
    defineRoute({
      method: 'POST', path: '/api/monitors/:id/diagnose', tag: 'Monitors', auth: { access: 'project', role: 'editor' },
      summary: 'Diagnose a monitor now', audit: 'monitor.diagnosed',
      description: 'Two probes examine the target. Responds within 15 s; within 10 minutes of the last diagnosis, '
        + 'with that one.',
      params: idParams, errors: ['MONITOR_NOT_FOUND', 'VALIDATION_FAILED', 'SERVICE_UNAVAILABLE'],
      responses: { 200: diagnosisResponse },
      handle: async (ctx, { params }) => {
        return { status: 200, data: { diagnosis: viewDiagnosis(await diagnoseNow(deps, ctx, params.id)) } };
      },
    }),
  ];
}
