import { defineRoute, ok, type Route } from '../http/route.ts';
import { overviewAnswer } from './answers.ts';
import { readOverview, type DashboardDeps } from './verbs.ts';

export function dashboardRoutes(deps: DashboardDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/dashboard/overview', summary: 'Read an overview of the project',
      tag: 'Dashboard', auth: { access: 'project', role: 'viewer', keys: false },
      answers: { 200: overviewAnswer },
      handle: async (ctx) => ok(await readOverview(deps, ctx)),
    }),
  ];
}
