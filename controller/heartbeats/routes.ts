import { z } from 'zod';
import { defineRoute, type Method, type Route } from '../http/route.ts';
import type { PingSignal } from './ports.ts';
import { receivePing, type HeartbeatDeps } from './verbs.ts';

const token = z.string().describe('The `heartbeat_token` of the monitor; it is the only credential.');
const tokenParams = z.strictObject({ token });
const codeParams = z.strictObject({
  token,
  code: z.string().regex(/^(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])$/, 'Must be an exit code from 0 to 255').transform(Number),
});

const SUCCESS: PingSignal = { kind: 'success', exit_code: null };

/** Where jobs report to: by GET, HEAD or POST, with any content type; a body is not looked at. */
export function heartbeatRoutes(deps: HeartbeatDeps): Route[] {
  return (['GET', 'POST'] as const).flatMap((method) => [
    ping(deps, method, '', 'Report that a job has succeeded', SUCCESS),
    ping(deps, method, '/start', 'Report that a job has started', { kind: 'start', exit_code: null }),
    ping(deps, method, '/fail', 'Report that a job has failed', { kind: 'fail', exit_code: null }),
    defineRoute({
      ...common(method),
      path: '/api/heartbeat/:token/:code', summary: 'Report the exit code of a job', description: '0 is a success, 1 to 255 are failures.',
      params: codeParams,
      handle: async (ctx, { params: { token: of, code } }) => {
        await receivePing(deps, ctx, of, { kind: code === 0 ? 'success' : 'fail', exit_code: code });
        return OK;
      },
    }),
  ]);
}

const OK = { status: 200, data: { ok: true } } as const;

function common<M extends Method>(method: M) {
  return {
    method, tag: 'Heartbeats', auth: { access: 'public' }, errors: ['RESOURCE_NOT_FOUND'],
    // Jobs send what they like, `?rid=…` for instance.
    ignoresQuery: true,
    answers: { 200: z.strictObject({ ok: z.literal(true) }) },
  } as const;
}

function ping(deps: HeartbeatDeps, method: Method, path: string, summary: string, signal: PingSignal): Route {
  return defineRoute({
    ...common(method),
    path: `/api/heartbeat/:token${path}`, summary, params: tokenParams,
    handle: async (ctx, { params }) => {
      await receivePing(deps, ctx, params.token, signal);
      return OK;
    },
  });
}
