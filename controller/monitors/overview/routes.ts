import { CompressedResponse } from '../../http/responses/compressed-response.ts';
import { JSON_CONTENT } from '../../http/routing/exchange.ts';
import { defineRoute, type ProjectContext, type Route } from '../../http/routing/route.ts';
import type { MonitorDeps } from '../deps.ts';
import { overviewResponse, overviewQuery, type OverviewInput } from './responses.ts';
import { readMonitorOverview } from './verbs.ts';
import { viewOverviewMonitor, viewOverviewPage } from './views.ts';

export function overviewRoute(deps: MonitorDeps): Route {
  return defineRoute({
    method: 'GET', path: '/api/monitors/overview', tag: 'Monitors',
    auth: { access: 'project', role: 'viewer' },
    summary: 'Read the states of all monitors',
    description: 'Returns what a list of thousands of monitors shows, in large pages. Compressed for clients that '
      + 'accept it.',
    query: overviewQuery,
    responses: { 200: overviewResponse }, isRevalidated: true,
    handle: async (ctx, { query }) => {
      const build = () => compressedOverview(deps, ctx, query);
      return { status: 200, compressed: await deps.turns.run(ctx.tenant.organizationId, build) };
    },
  });
}

/**
 * Serializes batch by batch, so that a large page does not block the event loop or fill memory with objects.
 */
async function compressedOverview(
  deps: MonitorDeps, ctx: ProjectContext, query: OverviewInput,
): Promise<CompressedResponse> {
  const { total, docs, facts } = await readMonitorOverview(deps, ctx, query);
  const monitors: string[] = [];
  for await (const batch of facts) {
    for (const one of batch) monitors.push(JSON.stringify(viewOverviewMonitor(one, ctx.role)));
  }
  const page = JSON.stringify(viewOverviewPage(docs, query.limit, total, ctx.now));
  const data = `{"monitors":[${monitors.join(',')}],${page.slice(1)}`;
  return new CompressedResponse(`{"success":true,"data":${data}}`, { 'Content-Type': JSON_CONTENT });
}
