import type { FairQueue } from '../../shared/fair-queue.ts';
import type { Clock } from '../../shared/time.ts';
import { asUnauthenticated, authorizePath } from './authorize-path.ts';
import { authenticate, authorize, requireBearer } from './authorize.ts';
import { readBody } from './body/body.ts';
import type { DocumentReader } from './body/document-reader.ts';
import type { Exchange } from './exchange.ts';
import type { AuditRecorder, CredentialReader, TenantReader } from './ports.ts';
import { rateLimitExceeded, type RateLimiter } from './rate-limit.ts';
import { authorOf, type AnyReply, type Caller, type Route } from './route.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { StreamGuards } from './stream-guards.ts';
import { fieldError, parseQuery, validate } from './validation.ts';

export interface RunnerDeps {
  credentials: CredentialReader;
  tenants: TenantReader;
  limiter: RateLimiter;
  clock: Clock;
  cookie: SessionCookie;
  guards: StreamGuards;
  audit: AuditRecorder;
  documents: DocumentReader;
  /** For routes that take turns, by organization. */
  turns: FairQueue;
}

type MatchedExchange = Exchange & { params: Record<string, string> };

/** Runs a request through its route: credentials, rate limit, permission, input, handler, audit log. */
export async function runRoute(deps: RunnerDeps, route: Route, exchange: MatchedExchange): Promise<AnyReply> {
  const { req: request, state, params } = exchange;
  const { headers } = request;
  const now = deps.clock.now();
  const cookie = deps.cookie.isKeptBy(headers) ? deps.cookie : null;
  if (route.endsSession === true && cookie !== null) exchange.set('Set-Cookie', cookie.removal);
  const identify = async (at: number) => {
    if (route.auth.access !== 'public') return authenticate(deps.credentials, headers, cookie, at);
    if (route.bearer !== undefined) requireBearer(headers, route.bearer);
    return null;
  };
  // Bad credentials must not keep the request from being counted.
  const caller = await identify(now).catch((failure: unknown) => ({ failure }));
  // All sessions and keys of one person share one limit.
  const isFailure = caller !== null && 'failure' in caller;
  const key = caller === null || isFailure ? state.addressKey : `user:${authorOf(caller)}`;
  const isUnlimited = route.isUnlimited === true && !isFailure;
  state.verdict = isUnlimited ? deps.limiter.peek(key) : deps.limiter.take(key);
  if (!state.verdict.isAllowed) throw rateLimitExceeded();
  const { auth } = route;
  if (isFailure) throw auth.access === 'path-project' ? asUnauthenticated(caller.failure) : caller.failure;

  const { 'last-event-id': lastEventId, 'accept-language': languages } = headers;
  const base = {
    requestId: state.requestId, address: state.addressKey, actor: { kind: 'none' } as const, now,
    ...(languages === undefined ? {} : { languages }),
    ...(typeof lastEventId === 'string' ? { lastEventId } : {}),
    ...(cookie === null ? {} : { cookie }),
  };
  const permit = (to: Caller | null) => (auth.access === 'path-project'
    ? authorizePath(deps.tenants, auth, to, request, base, params['projectId'])
    : authorize(deps.tenants, auth, to, request, base));
  const context = await permit(caller);
  const serve = async () => {
    const query = route.ignoresQuery === true
      ? Object.fromEntries(new URLSearchParams(exchange.querystring)) : parseQuery(exchange.querystring);
    // No body counts as an empty object; the JSON text `null` is a body, and a wrong one.
    const { body = {} } = route.body === undefined ? {} : { body: await readSent(deps, route, exchange) };
    const input = {
      params: route.params === undefined ? undefined : validate(route.params, params),
      query: parsedQuery(route, query),
      body: await route.parseBody(body),
    };
    return { query, body, reply: await route.handle(context, input) };
  };
  const owner = route.takesTurns === true ? (context.tenant?.organizationId ?? state.addressKey) : null;
  const { query, body, reply } = await (owner === null ? serve() : deps.turns.run(owner, serve));
  // Nobody can lose the right to what is public.
  if (reply.stream !== undefined && caller !== null) {
    deps.guards.guard(reply.stream, authorOf(caller), async () => {
      await permit(await identify(deps.clock.now()));
    });
  }
  await deps.audit.record({ route, context, params, query, body, reply });
  return reply;
}

function readSent(deps: RunnerDeps, { bodyFormat = 'json' }: Route, { req }: Exchange): Promise<unknown> {
  return bodyFormat === 'document' ? deps.documents.read(req) : readBody(req, bodyFormat);
}

function parsedQuery({ query: schema, ignoresQuery }: Route, query: Record<string, string>): unknown {
  if (schema !== undefined) return validate(schema, query);
  return ignoresQuery === true ? undefined : refuseAny(query);
}

function refuseAny(query: Record<string, string>): undefined {
  const name = Object.keys(query)[0];
  if (name === undefined) return undefined;
  throw fieldError(name, 'Unrecognized parameter', 'unrecognized_keys');
}
