import { defineRoute, ok, type Route } from '../http/routing/route.ts';
import { rehearsalResponse } from './responses.ts';
import { MAX_DAYS, MAX_MONITORS, rehearsalInput } from './schema.ts';
import { simulateAlerts, type RehearsalDeps } from './verbs.ts';

export function rehearsalRoutes(deps: RehearsalDeps): Route[] {
  return [
    defineRoute({
      method: 'POST', path: '/api/alerts/simulate', tag: 'Integrations', audit: false, isLong: true,
      auth: { access: 'project', role: 'viewer' },
      summary: 'Simulate alert settings',
      description: `Replays up to ${MAX_DAYS} days of stored results of up to ${MAX_MONITORS} monitors, including their `
        + 'dependencies, with the rules for alerts: confirmation, dependencies, causes, hours, delays and reminders. '
        + 'Omitted settings keep their current values. Where results are no longer stored, incidents are replayed as '
        + 'they were detected. Votes of regions without the monitor and quarantines are not replayed. Changes '
        + 'nothing and sends nothing.',
      body: rehearsalInput,
      responses: { 200: rehearsalResponse },
      errors: ['MONITOR_NOT_FOUND', 'RESOURCE_NOT_FOUND'],
      handle: async (ctx, { body }) => ok(await simulateAlerts(deps, ctx, body)),
    }),
  ];
}
