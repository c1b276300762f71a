import { isoTime } from '../../shared/time.ts';
import { canSeeCredentials } from '../access/tenant.ts';
import { AppError } from '../errors/app-error.ts';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, type Route } from '../http/routing/route.ts';
import {
  monitorResponse, monitorListResponse, monitorStatsResponse, organizationStatsResponse, settingsResponse,
} from './responses.ts';
import type { MonitorDeps } from './deps.ts';
import { historyRoutes } from './history/routes.ts';
import { monitorsOfProbeRoute } from './of-probe/routes.ts';
import { overviewRoute } from './overview/routes.ts';
import { monitorListQuery, periodQuery } from './schema.ts';
import { CONCEALMENT } from './settings/sent-settings.ts';
import {
  listMonitors, loadMonitor, readMonitor, readMonitorStats, readOrganizationStats,
} from './verbs/read-monitors.ts';
import { viewListedMonitor, viewMonitor, viewSettings, viewStats } from './views.ts';
import { writeRoutes } from './write-routes.ts';

export function monitorRoutes(deps: MonitorDeps): Route[] {
  return [
    ...readRoutes(deps), overviewRoute(deps), ...writeRoutes(deps), ...historyRoutes(deps),
    monitorsOfProbeRoute(deps),
  ];
}

function readRoutes(deps: MonitorDeps): Route[] {
  const common = { method: 'GET', tag: 'Monitors', auth: { access: 'project', role: 'viewer' } } as const;
  return [
    defineRoute({
      ...common, path: '/api/monitors', summary: 'List monitors', description: CONCEALMENT,
      query: monitorListQuery,
      failure: { code: 'MONITORS_FETCH_FAILED', message: 'The monitors could not be loaded' },
      responses: { 200: monitorListResponse },
      handle: async (ctx, { query }) => {
        const { limit, offset } = query;
        const { monitors, total } = await listMonitors(deps, ctx, query);
        const pagination = { total_count: total, limit, offset, has_more: offset + monitors.length < total };
        const views = monitors.map(({ doc, facts }) => viewListedMonitor(doc, facts, ctx));
        return { status: 200, data: { monitors: views, pagination } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/stats', summary: 'Count the monitors of the project',
      responses: { 200: organizationStatsResponse },
      handle: async (ctx) => {
        const { total, byType, byStatus, byCity, recent } = await readOrganizationStats(deps, ctx);
        const counts = { total_monitors: total, by_type: byType, by_status: byStatus, by_region: byCity };
        const recentActivity = recent.map((result) => ({
          ...result,
          response_time_ms: result.response_time_ms === null ? null : Math.round(result.response_time_ms),
          checked_at: isoTime(result.checked_at),
        }));
        return { status: 200, data: { ...counts, recent_activity: recentActivity } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id', summary: 'Read a monitor', description: CONCEALMENT,
      params: idParams,
      errors: ['MONITOR_NOT_FOUND'],
      failure: { code: 'CHECK_FETCH_FAILED', message: 'The monitor could not be loaded' },
      responses: { 200: monitorResponse },
      handle: async (ctx, { params }) => {
        const { doc, live } = await readMonitor(deps, ctx, params.id);
        return { status: 200, data: { monitor: viewMonitor(doc, live, ctx.role) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/settings', summary: 'Read all settings of a monitor',
      description: 'Returns what can be sent back to change it, including tags and regions, which other reads omit. '
        + CONCEALMENT,
      params: idParams,
      errors: ['MONITOR_NOT_FOUND'],
      responses: { 200: settingsResponse },
      handle: async (ctx, { params }) => {
        const doc = await loadMonitor(deps, ctx, params.id);
        const { group_id = null, depends_on } = doc;
        const settings = viewSettings(doc, { group_id, depends_on }, !canSeeCredentials(ctx.role));
        return { status: 200, data: { settings } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/stats', summary: 'Read the statistics of a monitor',
      params: idParams,
      query: periodQuery,
      errors: ['INVALID_PERIOD', 'MONITOR_NOT_FOUND', 'STATS_NOT_FOUND'],
      failure: { code: 'STATS_FETCH_FAILED', message: 'The statistics could not be computed' },
      responses: { 200: monitorStatsResponse },
      handle: async (ctx, { params, query }) => {
        const { doc, facts } = await readMonitorStats(deps, ctx, params.id, query.period);
        const stats = viewStats(doc, facts, ctx.now);
        if (stats !== null) return { status: 200, data: stats };
        throw new AppError('STATS_NOT_FOUND', 'There are no statistics for this monitor yet');
      },
    }),
  ];
}
