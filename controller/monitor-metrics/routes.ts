import type { Clock } from '../../shared/time.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import type { FairQueue } from '../work/fair-queue.ts';
import { CONTENT_TYPES } from './exposition.ts';
import { ScrapeResponse } from './scrape-response.ts';
import { readMonitorMetrics, type MonitorMetricsDeps } from './verbs.ts';

interface RouteDeps extends MonitorMetricsDeps {
  clock: Clock;
  /** Queue for scrapes; organizations take turns. */
  turns: Pick<FairQueue, 'run'>;
}

export function monitorMetricsRoute(deps: RouteDeps): Route {
  return defineRoute({
    method: 'GET', path: '/api/metrics', tag: 'Monitors',
    auth: { access: 'account', organization: 'viewer', keys: true }, acceptsBearerKey: true,
    operationId: 'getMonitorMetrics', summary: 'Read the metrics of all monitors for Prometheus',
    description: 'The monitors of all projects that the caller may read, in Prometheus text format, or as OpenMetrics '
      + '(`application/openmetrics-text`) for clients that prefer it in `Accept`. Compressed with gzip for clients '
      + 'that accept it. The API key may also be sent as `Authorization: Bearer`.',
    responses: { 200: { contentType: CONTENT_TYPES.text } },
    handle: async (ctx) => {
      const { clock, turns } = deps;
      const { organizationId } = ctx.tenant;
      const text = await readMonitorMetrics(deps, ctx);
      return { status: 200, compressed: new ScrapeResponse({ clock, turns, organizationId, text }) };
    },
  });
}
