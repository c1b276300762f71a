import { defineRoute, ok, type Route } from '../http/routing/route.ts';
import { rehearsalResponse } from './responses.ts';
import { MAX_DAYS, MAX_MONITORS, rehearsalInput } from './schema.ts';
import { simulateAlerts, type RehearsalDeps } from './verbs.ts';

export function rehearsalRoutes(deps: RehearsalDeps): Route[] {
  return [
    defineRoute({
      method: 'POST', path: '/api/alerts/simulate', tag: 'Integrations', audit: false, isLong: true,
      auth: { access: 'project', role: 'viewer' },
      summary: 'Replay stored results through other alert settings',
      description: `Plays up to ${MAX_DAYS} days of the results of up to ${MAX_MONITORS} monitors, with the monitors that `
        + 'they depend on, through the rules that decide on alerts: confirmation, dependencies, causes, hours, delays '
        + 'and reminders. What the request leaves out is as it is today. Where results are no longer stored, '
        + 'incidents are as they were detected. It does not replay votes of regions that did not have the monitor, '
        + 'or quarantines. Changes nothing and sends nothing.',
      body: rehearsalInput,
      responses: { 200: rehearsalResponse },
      errors: ['MONITOR_NOT_FOUND', 'RESOURCE_NOT_FOUND'],
      handle: async (ctx, { body }) => ok(await simulateAlerts(deps, ctx, body)),
    }),
  ];
}
