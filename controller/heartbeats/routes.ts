import type { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, ok, type PublicContext, type Route } from '../http/routing/route.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import { pingKeyResponse, pingsResponse, receivedResponse } from './responses.ts';
import * as schema from './schema.ts';
import { type PingKeyDeps, readPingKey, rotatePingKey } from './verbs/ping-key.ts';
import { type PingReadDeps, readPings } from './verbs/read-pings.ts';
import { type HeartbeatDeps, type PingAddress, type PingSignal, receivePing } from './verbs/receive-ping.ts';

const tag = 'Heartbeats';

/** What Uptime Kuma takes as success. */
const PUSHED_SUCCESS = ['up', ''];

/** Where jobs report, and the query that they may send. */
interface Root {
  path: string;
  params: z.ZodType<PingAddress>;
  codeParams: z.ZodType<PingAddress & { code: number }>;
  query: z.ZodType<Query>;
  isCreating?: true;
}
type Query = { rid?: string | undefined; create?: string | undefined };

const byToken = { params: schema.tokenParams, codeParams: schema.tokenCodeParams, query: schema.pingQuery };
const ROOTS: Root[] = [
  { path: '/api/heartbeat/:token', ...byToken },
  // That of Healthchecks, so that its jobs only need another host.
  { path: '/ping/:token', ...byToken },
  {
    path: '/api/ping/:ping_key/:slug', params: schema.nameParams, codeParams: schema.nameCodeParams,
    query: schema.nameQuery, isCreating: true,
  },
];
const ofCreating = { audit: 'monitor.created', errors: ['RESOURCE_NOT_FOUND', 'MONITOR_LIMIT_REACHED'] } as const;

const ENDINGS = [
  ['', 'success', 'Report that a job has succeeded'], ['/start', 'start', 'Report that a job has started'],
  ['/fail', 'fail', 'Report that a job has failed'],
  ['/log', 'log', 'Send a log entry of a job, which changes nothing'],
] as const;

/** Accepts GET, HEAD and POST with any content type and any query. */
export function heartbeatRoutes(parts: Omit<HeartbeatDeps, 'creations'> & PingReadDeps & PingKeyDeps): Route[] {
  const deps = { creations: new Map<string, Promise<MonitorDoc>>(), ...parts };
  const receive = async (
    ctx: PublicContext, address: PingAddress, { rid, create }: Query, sent: Omit<PingSignal, 'run_id'>,
  ) => {
    const made = await receivePing(deps, ctx, address, { run_id: rid ?? null, ...sent }, create === '1');
    const audit = made && {
      actor: { type: 'api_key', id: null, name: 'Ping key' } as const,
      organizationId: made.organization_id, resourceId: made._id,
    };
    return { audit, ...ok({ ok: true } as const) };
  };
  const pings = (['GET', 'POST'] as const).flatMap((method) => {
    const common = {
      method, tag, auth: { access: 'public' }, ignoresQuery: true,
      errors: ['RESOURCE_NOT_FOUND'], responses: { 200: receivedResponse },
      ...(method === 'POST' ? { body: schema.pingBody, bodyFormat: 'excerpt' as const } : {}),
    } as const;
    return [
      ...ROOTS.flatMap(({ path, params, codeParams, query, isCreating }) => [
        ...ENDINGS.map(([ending, kind, summary]) => defineRoute({
          ...common, ...(isCreating && ofCreating), path: path + ending, summary, params, query,
          handle: async (ctx, { params: address, query: sent, body = null }) =>
            receive(ctx, address, sent, { kind, exit_code: null, body }),
        })),
        defineRoute({
          ...common, ...(isCreating && ofCreating), path: `${path}/:code`, summary: 'Report the exit code of a job',
          description: '0 means success, 1 to 255 mean failure.', params: codeParams, query,
          handle: async (ctx, { params: { code, ...address }, query: sent, body = null }) =>
            receive(ctx, address, sent, { kind: code === 0 ? 'success' : 'fail', exit_code: code, body }),
        }),
      ]),
      defineRoute({
        ...common, path: '/api/push/:token', summary: 'Report as a push monitor of Uptime Kuma does',
        params: schema.tokenParams, query: schema.pushQuery,
        handle: async (ctx, { params, query, body = null }) => receive(ctx, params, query, {
          kind: PUSHED_SUCCESS.includes(query.status) ? 'success' : 'fail', exit_code: null, body,
        }),
      }),
    ];
  });
  return [...pings, ...readRoutes(deps)];
}

function readRoutes(deps: PingReadDeps & PingKeyDeps): Route[] {
  const key = {
    tag, auth: { access: 'path-project', role: 'editor' }, params: schema.projectParams,
    responses: { 200: pingKeyResponse },
  } as const;
  return [
    defineRoute({
      method: 'GET', path: '/api/monitors/:id/pings', tag, summary: 'List the latest pings of a heartbeat monitor',
      description: 'Newest first. The newest 100 are kept.',
      auth: { access: 'project', role: 'viewer' }, params: idParams, query: schema.pingsQuery,
      errors: ['MONITOR_NOT_FOUND'], responses: { 200: pingsResponse },
      handle: async (ctx, { params, query }) => ok({ pings: await readPings(deps, ctx, params.id, query) }),
    }),
    defineRoute({
      ...key, method: 'GET', path: '/api/projects/:projectId/ping-key', audit: 'project.ping_key_read',
      summary: 'Read the ping key of a project',
      handle: async (ctx) => ok({ ping_key: await readPingKey(deps, ctx) }),
    }),
    defineRoute({
      ...key, method: 'POST', path: '/api/projects/:projectId/ping-key/rotate', audit: 'project.ping_key_rotated',
      summary: 'Replace the ping key of a project', description: 'The former key stops working at once.',
      handle: async (ctx) => ok({ ping_key: await rotatePingKey(deps, ctx) }),
    }),
  ];
}
