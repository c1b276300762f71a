import { z } from 'zod';
import { defineRoute, type PublicContext, type Route } from '../http/routing/route.ts';
import { findHeartbeat, receivePing, type HeartbeatDeps, type PingSignal } from './verbs.ts';

const token = z.string().describe('The `heartbeat_token` of the monitor; it is the only credential.');
const tokenParams = z.strictObject({ token });
const codeParams = z.strictObject({
  token,
  code: z.string().regex(/^(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])$/, 'Must be an exit code from 0 to 255')
    .transform(Number),
});
const pushQuery = z.object({
  status: z.string().default('up').describe('`up`, the default, means success, anything else failure.'),
});
/** What Uptime Kuma takes as success. */
const PUSHED_SUCCESS = ['up', ''];

/** Where jobs report. The second one is that of Healthchecks, so that its jobs only need another host. */
const ROOTS = ['/api/heartbeat', '/ping'];

/** Accepts GET, HEAD and POST with any content type. Bodies are ignored. */
export function heartbeatRoutes(deps: HeartbeatDeps): Route[] {
  const done = { status: 200, data: { ok: true } } as const;
  const receive = async (ctx: PublicContext, sent: string, kind: PingSignal['kind'], code: number | null) => {
    await receivePing(deps, ctx, sent, { kind, exit_code: code });
    return done;
  };
  return (['GET', 'POST'] as const).flatMap((method) => {
    const common = {
      method, tag: 'Heartbeats', auth: { access: 'public' }, errors: ['RESOURCE_NOT_FOUND'],
      // Jobs may send any query, such as `?rid=…`.
      ignoresQuery: true,
      responses: { 200: z.strictObject({ ok: z.literal(true) }) },
    } as const;
    const ping = (path: string, summary: string, kind: PingSignal['kind']) => defineRoute({
      ...common, path, summary, params: tokenParams,
      handle: async (ctx, { params }) => receive(ctx, params.token, kind, null),
    });
    return [
      ...ROOTS.flatMap((root) => [
        ping(`${root}/:token`, 'Report that a job has succeeded', 'success'),
        ping(`${root}/:token/start`, 'Report that a job has started', 'start'),
        ping(`${root}/:token/fail`, 'Report that a job has failed', 'fail'),
        defineRoute({
          ...common, path: `${root}/:token/:code`, summary: 'Report the exit code of a job',
          description: '0 means success, 1 to 255 mean failure.', params: codeParams,
          handle: async (ctx, { params }) =>
            receive(ctx, params.token, params.code === 0 ? 'success' : 'fail', params.code),
        }),
      ]),
      defineRoute({
        ...common, path: '/ping/:token/log', summary: 'Send a log entry of a job, which changes nothing',
        params: tokenParams,
        handle: async (_ctx, { params }) => {
          await findHeartbeat(deps, params.token);
          return done;
        },
      }),
      defineRoute({
        ...common, path: '/api/push/:token', summary: 'Report as a push monitor of Uptime Kuma does',
        params: tokenParams, query: pushQuery,
        handle: async (ctx, { params, query }) =>
          receive(ctx, params.token, PUSHED_SUCCESS.includes(query.status) ? 'success' : 'fail', null),
      }),
    ];
  });
}
