import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import { diagnosisResponse } from './responses.ts';
import { diagnoseNow, readDiagnosis, type DiagnosisDeps } from './verbs.ts';
import { viewDiagnosis } from './views.ts';

export function diagnosisRoutes(deps: DiagnosisDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/incidents/:id/diagnosis', tag: 'Incidents', auth: { access: 'project', role: 'viewer' },
      summary: 'Read the diagnosis of an incident',
      description: 'Where the outage comes from, and what probes found when it began. Not found before they have '
        + 'examined the target.',
      params: idParams, errors: ['RESOURCE_NOT_FOUND'], responses: { 200: diagnosisResponse },
      handle: async (ctx, { params }) => {
        return { status: 200, data: { diagnosis: viewDiagnosis(await readDiagnosis(deps, ctx, params.id)) } };
      },
    }),
    defineRoute({
      method: 'POST', path: '/api/monitors/:id/diagnose', tag: 'Monitors', auth: { access: 'project', role: 'editor' },
      summary: 'Diagnose a monitor now', audit: 'monitor.diagnosed',
      description: 'Probes examine the target. Responds within 15 s. A monitor is diagnosed at most once in 10 minutes; '
        + 'until then, the response has the last diagnosis.',
      params: idParams, errors: ['MONITOR_NOT_FOUND', 'VALIDATION_FAILED', 'SERVICE_UNAVAILABLE'],
      responses: { 200: diagnosisResponse },
      handle: async (ctx, { params }) => {
        return { status: 200, data: { diagnosis: viewDiagnosis(await diagnoseNow(deps, ctx, params.id)) } };
      },
    }),
  ];
}
