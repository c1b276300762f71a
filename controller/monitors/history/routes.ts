import { idParams } from '../../http/input/validation.ts';
import { defineRoute, type Route } from '../../http/routing/route.ts';
import type { MonitorDeps } from '../deps.ts';
import { monitorInputs, simulationInput } from '../schema.ts';
import { readDomain } from '../verbs/read-domain.ts';
import { checkNow, testMonitor } from '../verbs/run-check.ts';
import { simulatePolicy } from '../verbs/simulate-policy.ts';
import * as responses from './responses.ts';
import {
  readCertificate, readRegions, readResponseTimes, readResults, readStatusHistory,
} from './verbs.ts';
import {
  viewCertificate, viewRegions, viewReplayed, viewResult, viewRun, viewSpan, whyUnknown,
} from './views.ts';

export function historyRoutes(deps: MonitorDeps): Route[] {
  return [...readRoutes(deps), ...runRoutes(deps), simulateRoute(deps)];
}

function readRoutes(deps: MonitorDeps): Route[] {
  const common = {
    method: 'GET', tag: 'Monitors', auth: { access: 'project', role: 'viewer' }, params: idParams,
    errors: ['MONITOR_NOT_FOUND'],
  } as const;
  return [
    defineRoute({
      ...common, path: '/api/monitors/:id/status-history', summary: 'List the past states of a monitor',
      query: responses.statusHistoryQuery,
      responses: { 200: responses.statusHistoryResponse },
      handle: async (ctx, { params, query }) => {
        const spans = await readStatusHistory(deps, ctx, params.id, query);
        return { status: 200, data: { history: spans.map((span) => viewSpan(span, ctx.now)) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/results', summary: 'List the results of a monitor',
      description: 'Newest first. A page can be short or even empty while `next_cursor` says where to '
        + 'continue.',
      query: responses.resultsQuery,
      responses: { 200: responses.resultsResponse },
      handle: async (ctx, { params, query }) => {
        const { results, next } = await readResults(deps, ctx, params.id, query);
        const rows = results.map((row) => viewResult(params.id, row.region, row.probe_id, row));
        return { status: 200, data: { results: rows, next_cursor: next } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/regions', summary: 'Read the state of a monitor in each region',
      responses: { 200: responses.regionsResponse },
      handle: async (ctx, { params }) => {
        const { doc, live, runsIn, domains } = await readRegions(deps, ctx, params.id);
        const regions = viewRegions(live, runsIn);
        const reason = whyUnknown(doc, live, regions, { runsIn, domains });
        return { status: 200, data: { reason, regions } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/domain',
      summary: 'Read when the domain of a monitor expires',
      description: 'For monitors with `domain_monitoring`. Each domain is looked up once a day, a new one '
        + 'within a minute.',
      errors: ['MONITOR_NOT_FOUND', 'STATS_NOT_FOUND'],
      responses: { 200: responses.domainResponse },
      handle: async (ctx, { params }) => {
        return { status: 200, data: { domain: await readDomain(deps, ctx, params.id) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/certificate', summary: 'Read the certificate of a target',
      description: 'The certificate most recently seen by any region, and the one that each region sees. They can '
        + 'differ during a renewal. Times are Unix ms.',
      responses: { 200: responses.certificateResponse },
      errors: ['MONITOR_NOT_FOUND', 'STATS_NOT_FOUND'],
      handle: async (ctx, { params }) => {
        const { facts, regions } = await readCertificate(deps, ctx, params.id);
        return { status: 200, data: { certificate: viewCertificate(facts, regions) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/:id/response-times',
      summary: 'Read the response times of a monitor by region',
      description: 'One point per hour for up to 7 days, otherwise one per day. Percentiles are accurate '
        + 'to 5 %.',
      query: responses.seriesQuery,
      errors: ['INVALID_PERIOD', 'MONITOR_NOT_FOUND'],
      responses: { 200: responses.seriesResponse },
      handle: async (ctx, { params, query }) => {
        const series = await readResponseTimes(deps, ctx, params.id, query.period);
        const regions = [...series].sort(([one], [other]) => (one < other ? -1 : 1));
        return { status: 200, data: { series: regions.map(([region, points]) => ({ region, points })) } };
      },
    }),
  ];
}

function simulateRoute(deps: MonitorDeps): Route {
  return defineRoute({
    method: 'POST', path: '/api/monitors/:id/simulate', tag: 'Monitors', audit: false,
    auth: { access: 'project', role: 'viewer' },
    summary: 'Replay the results of a monitor against another confirmation policy',
    description: 'Recounts the votes of stored results, at most the newest 50,000 in the '
      + 'requested time range, with the current regions, networks and interval. It does not replay votes of regions that '
      + 'did not have the monitor, pauses, or quarantines: results of a quarantined probe count.',
    params: idParams, body: simulationInput,
    responses: { 200: responses.simulationResponse },
    errors: ['MONITOR_NOT_FOUND', 'VALIDATION_FAILED'],
    handle: async (ctx, { params, body }) => {
      const { since, incidents, actual } = await deps.simulations.run(
        ctx.tenant.organizationId, () => simulatePolicy(deps, ctx, params.id, body),
      );
      const data = { since, incidents: viewReplayed(incidents), actual: viewReplayed(actual) };
      return { status: 200, data };
    },
  });
}

function runRoutes(deps: MonitorDeps): Route[] {
  const common = {
    method: 'POST', tag: 'Monitors', auth: { access: 'project', role: 'editor' },
    responses: { 200: responses.runResponse },
  } as const;
  return [
    defineRoute({
      ...common, path: '/api/monitors/:id/check', summary: 'Check a monitor now', audit: 'monitor.checked',
      description: 'Runs a check in each of its regions. Responds when all have finished, or 5 s after the '
        + 'monitor\'s timeout; a region that has not reported by then is `missed`.',
      params: idParams,
      errors: ['MONITOR_NOT_FOUND', 'VALIDATION_FAILED'],
      handle: async (ctx, { params }) => {
        const runs = await checkNow(deps, ctx, params.id);
        return { status: 200, data: { results: runs.map((run) => viewRun(params.id, run, ctx.now)) } };
      },
    }),
    defineRoute({
      ...common, path: '/api/monitors/test', summary: 'Test a monitor without saving it',
      audit: 'monitor.tested',
      description: 'Takes the body of a new monitor; `name` and `interval_seconds` are optional. Nothing '
        + 'is saved.',
      body: monitorInputs(deps.minIntervalSeconds).test,
      errors: ['VALIDATION_FAILED', 'PLAN_LIMIT_EXCEEDED'],
      handle: async (ctx, { body }) => {
        const { id, runs } = await testMonitor(deps, ctx, body);
        return { status: 200, data: { results: runs.map((run) => viewRun(id, run, ctx.now)) } };
      },
    }),
  ];
}
