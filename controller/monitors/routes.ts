import { AppError } from '../../shared/errors.ts';
import { isoTime } from '../../shared/time.ts';
import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { deletedAnswer, monitorAnswer, monitorListAnswer, monitorStatsAnswer, organizationStatsAnswer } from './answers.ts';
import { bulkRoutes } from './bulk-routes.ts';
import type { MonitorDeps } from './deps.ts';
import { historyRoutes } from './history/routes.ts';
import { monitorInputs, monitorListQuery, periodQuery } from './schema.ts';
import { liveOf, listMonitors, readMonitor, readMonitorStats, readOrganizationStats } from './verbs/read-monitors.ts';
import { createMonitor, deleteMonitor, setMonitorStatus, updateMonitor } from './verbs/write-monitor.ts';
import { viewListedMonitor, viewMonitor, viewStats } from './views.ts';

const WRITE_ERRORS = ['VALIDATION_FAILED', 'INTERVAL_TOO_SHORT', 'PLAN_LIMIT_EXCEEDED', 'FAIR_USE_LIMIT_REACHED'] as const;

/** Monitors: lists, reads, writes, lifecycle and statistics. */
export function monitorRoutes(deps: MonitorDeps): Route[] {
  return [...readRoutes(deps), ...writeRoutes(deps), ...lifecycleRoutes(deps), ...bulkRoutes(deps), ...historyRoutes(deps)];
}

function readRoutes(deps: MonitorDeps): Route[] {
  const common = { method: 'GET', tag: 'Monitors', auth: { access: 'project', role: 'viewer' } } as const;
  return [
    defineRoute({
      ...common,
      path: '/api/monitors',
      summary: 'List monitors',
      query: monitorListQuery,
      failure: { code: 'MONITORS_FETCH_FAILED', message: 'The monitors could not be loaded' },
      answers: { 200: monitorListAnswer },
      handle: async (ctx, { query }) => {
        const { limit, offset } = query;
        const { monitors, total } = await listMonitors(deps, ctx, query);
        const pagination = { total_count: total, limit, offset, has_more: offset + monitors.length < total };
        return { status: 200, data: { monitors: monitors.map(({ doc, facts }) => viewListedMonitor(doc, facts, ctx.now)), pagination } };
      },
    }),
    defineRoute({
      ...common,
      path: '/api/monitors/stats',
      summary: 'Count the monitors of the project',
      answers: { 200: organizationStatsAnswer },
      handle: async (ctx) => {
        const { total, byType, byStatus, byCity, recent } = await readOrganizationStats(deps, ctx);
        const recentActivity = recent.map((result) => ({
          ...result,
          response_time_ms: result.response_time_ms === null ? null : Math.round(result.response_time_ms),
          checked_at: isoTime(result.checked_at),
        }));
        const counts = { total_monitors: total, by_type: byType, by_status: byStatus, by_region: byCity };
        return { status: 200, data: { ...counts, recent_activity: recentActivity } };
      },
    }),
    defineRoute({
      ...common,
      path: '/api/monitors/:id',
      summary: 'Read a monitor',
      params: idParams,
      errors: ['MONITOR_NOT_FOUND'],
      failure: { code: 'CHECK_FETCH_FAILED', message: 'The monitor could not be loaded' },
      answers: { 200: monitorAnswer },
      handle: async (ctx, { params }) => {
        const { doc, live } = await readMonitor(deps, ctx, params.id);
        return { status: 200, data: { monitor: viewMonitor(doc, live) } };
      },
    }),
    defineRoute({
      ...common,
      path: '/api/monitors/:id/stats',
      summary: 'Read the statistics of a monitor',
      params: idParams,
      query: periodQuery,
      errors: ['INVALID_PERIOD', 'MONITOR_NOT_FOUND', 'STATS_NOT_FOUND'],
      failure: { code: 'STATS_FETCH_FAILED', message: 'The statistics could not be computed' },
      answers: { 200: monitorStatsAnswer },
      handle: async (ctx, { params, query }) => {
        const { doc, facts } = await readMonitorStats(deps, ctx, params.id, query.period);
        const stats = viewStats(doc, facts, ctx.now);
        if (stats === null) throw new AppError('STATS_NOT_FOUND', 'There are no statistics of this monitor yet');
        return { status: 200, data: stats };
      },
    }),
  ];
}

function writeRoutes(deps: MonitorDeps): Route[] {
  const inputs = monitorInputs(deps.minIntervalSeconds);
  const common = { tag: 'Monitors', auth: { access: 'project', role: 'editor' } } as const;
  const update = (method: 'PUT' | 'PATCH') =>
    defineRoute({
      ...common,
      method,
      path: '/api/monitors/:id',
      audit: 'monitor.changed',
      summary: 'Change a monitor',
      description: 'Changes only the fields in the request. The result of a read can be sent back.',
      params: idParams,
      body: inputs.update,
      errors: ['MONITOR_NOT_FOUND', 'CONFLICT', ...WRITE_ERRORS],
      answers: { 200: monitorAnswer },
      handle: async (ctx, { params, body }) => {
        const doc = await updateMonitor(deps, ctx, params.id, body);
        return { status: 200, data: { monitor: viewMonitor(doc, await liveOf(deps, doc)) } };
      },
    });
  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/monitors',
      audit: 'monitor.created',
      summary: 'Create a monitor',
      body: inputs.create,
      errors: ['MONITOR_LIMIT_REACHED', ...WRITE_ERRORS],
      answers: { 201: monitorAnswer },
      handle: async (ctx, { body }) => ({ status: 201, data: { monitor: viewMonitor(await createMonitor(deps, ctx, body), null) } }),
    }),
    update('PUT'),
    update('PATCH'),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/api/monitors/:id',
      audit: 'monitor.deleted',
      summary: 'Delete a monitor',
      params: idParams,
      errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
      answers: { 200: deletedAnswer },
      handle: async (ctx, { params }) => {
        await deleteMonitor(deps, ctx, params.id);
        return { status: 200, data: { message: 'Monitor deleted successfully' } };
      },
    }),
  ];
}

function lifecycleRoutes(deps: MonitorDeps): Route[] {
  const transitions = [
    { transition: 'pause', audit: 'monitor.paused', summary: 'Pause a monitor', failure: { code: 'MONITOR_PAUSE_FAILED', message: 'The monitor could not be paused' } },
    { transition: 'resume', audit: 'monitor.resumed', summary: 'Resume a paused or disabled monitor', failure: undefined },
    { transition: 'disable', audit: 'monitor.disabled', summary: 'Disable a monitor', failure: undefined },
  ] as const;
  return transitions.map(({ transition, audit, summary, failure }) =>
    defineRoute({
      method: 'POST',
      path: `/api/monitors/:id/${transition}`,
      audit,
      summary,
      tag: 'Monitors',
      auth: { access: 'project', role: 'editor' },
      params: idParams,
      errors: ['MONITOR_NOT_FOUND', 'CONFLICT'],
      failure,
      answers: { 200: monitorAnswer },
      handle: async (ctx, { params }) => {
        const doc = await setMonitorStatus(deps, ctx, params.id, transition);
        return { status: 200, data: { monitor: viewMonitor(doc, await liveOf(deps, doc)) } };
      },
    }),
  );
}
