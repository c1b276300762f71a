import { z } from 'zod';
import { defineRoute, type PublicContext, type Route } from '../http/routing/route.ts';
import { receivePing, type HeartbeatDeps, type PingSignal } from './verbs.ts';

const token = z.string().describe('The `heartbeat_token` of the monitor; it is the only credential.');
const tokenParams = z.strictObject({ token });
const codeParams = z.strictObject({
  token,
  code: z.string().regex(/^(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])$/, 'Must be an exit code from 0 to 255')
    .transform(Number),
});

/** Accepts GET, HEAD and POST with any content type. Bodies are ignored. */
export function heartbeatRoutes(deps: HeartbeatDeps): Route[] {
  const receive = async (ctx: PublicContext, sent: string, kind: PingSignal['kind'], code: number | null) => {
    await receivePing(deps, ctx, sent, { kind, exit_code: code });
    return { status: 200, data: { ok: true } } as const;
  };
  return (['GET', 'POST'] as const).flatMap((method) => {
    const common = {
      method, tag: 'Heartbeats', auth: { access: 'public' }, errors: ['RESOURCE_NOT_FOUND'],
      // Jobs may send any query, such as `?rid=…`.
      ignoresQuery: true,
      responses: { 200: z.strictObject({ ok: z.literal(true) }) },
    } as const;
    const ping = (path: string, summary: string, kind: PingSignal['kind']) => defineRoute({
      ...common, path: `/api/heartbeat/:token${path}`, summary, params: tokenParams,
      handle: async (ctx, { params }) => receive(ctx, params.token, kind, null),
    });
    return [
      ping('', 'Report that a job has succeeded', 'success'),
      ping('/start', 'Report that a job has started', 'start'),
      ping('/fail', 'Report that a job has failed', 'fail'),
      defineRoute({
        ...common, path: '/api/heartbeat/:token/:code', summary: 'Report the exit code of a job',
        description: '0 means success, 1 to 255 mean failure.', params: codeParams,
        handle: async (ctx, { params }) =>
          receive(ctx, params.token, params.code === 0 ? 'success' : 'fail', params.code),
      }),
    ];
  });
}
