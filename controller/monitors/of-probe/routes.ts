import { idParams } from '../../http/input/validation.ts';
import { defineRoute, type Route } from '../../http/routing/route.ts';
import type { MonitorDeps } from '../deps.ts';
import { isInMaintenance, runtimeStatus } from '../monitor.ts';
import { probeMonitorsResponse, probeMonitorsQuery, type ProbeMonitor } from './responses.ts';
import { listMonitorsOfProbe } from './verbs.ts';

export function monitorsOfProbeRoute(deps: MonitorDeps): Route {
  return defineRoute({
    method: 'GET', path: '/api/probes/:id/monitors', tag: 'Probes',
    auth: { access: 'project', role: 'viewer' },
    summary: 'List the monitors that a probe runs',
    description: 'Lists monitors of the project by name, and only counts all others.',
    params: idParams, query: probeMonitorsQuery,
    errors: ['RESOURCE_NOT_FOUND'],
    responses: { 200: probeMonitorsResponse },
    handle: async (ctx, { params, query }) => {
      const { limit, offset } = query;
      const { monitors, total, others } = await listMonitorsOfProbe(deps, ctx, params.id, query);
      const views = monitors.map(({ doc, live }): ProbeMonitor => {
        const { _id: id, name, type, status } = doc;
        return {
          id, name, type, status,
          runtimeStatus: runtimeStatus(doc, live), in_maintenance: isInMaintenance(doc, live),
        };
      });
      const pagination = { total_count: total, limit, offset, has_more: offset + views.length < total };
      return { status: 200, data: { monitors: views, others, pagination } };
    },
  });
}
