import { defineRoute, ok, type Route } from '../http/routing/route.ts';
import { overviewResponse } from './responses.ts';
import { readOverview, type DashboardDeps } from './verbs.ts';

export function dashboardRoutes(deps: DashboardDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/dashboard/overview', summary: 'Read an overview of the project',
      tag: 'Dashboard', auth: { access: 'project', role: 'viewer', keys: false },
      responses: { 200: overviewResponse },
      handle: async (ctx) => ok(await readOverview(deps, ctx)),
    }),
  ];
}
