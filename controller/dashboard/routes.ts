import { isoTime } from '../../shared/time.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { DashboardDeps } from './ports.ts';
import { overviewAnswer } from './schema.ts';
import { readOverview } from './verbs.ts';

/** A project at a glance. */
export function dashboardRoutes(deps: DashboardDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/dashboard/overview',
      summary: 'Read an overview of the project',
      tag: 'Dashboard',
      auth: { access: 'project', role: 'viewer', keys: false },
      answers: { 200: overviewAnswer },
      handle: async (ctx) => {
        const { monitors, incidents, slowest, flakiest, fleet } = await readOverview(deps, ctx);
        const latest = incidents.latest.map((incident) => ({ ...incident, started_at: isoTime(incident.started_at) }));
        return {
          status: 200,
          data: {
            monitors,
            incidents: { ...incidents, latest },
            slowest_monitors: slowest.map(({ name, ...one }) => ({ ...one, monitor_name: name })),
            flakiest_monitors: flakiest.map(({ name, ...one }) => ({ ...one, monitor_name: name })),
            fleet: { regions: fleet.regions, regions_online: fleet.regionsOnline, probes: fleet.probes },
          },
        };
      },
    }),
  ];
}
