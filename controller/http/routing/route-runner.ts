import type { Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import type { FairQueue } from '../../work/fair-queue.ts';
import { asUnauthenticated, authorizePath } from './authorize-path.ts';
import { authenticate, authorize, authorOf, credentialOf, requireBearer, type SessionCookie } from './authorize.ts';
import { readBody } from '../body/body.ts';
import type { DocumentReader, ReceivedBody } from '../body/document-reader.ts';
import type { AuditRecorder, CredentialReader, TenantReader } from './ports.ts';
import { rateLimitExceeded, type RateLimiter } from '../limits/rate-limit.ts';
import type { Caller, Route, RouteResponse } from './route.ts';
import type { StreamGuards } from '../responses/stream-guards.ts';
import { isUpgrade } from '../responses/web-sockets.ts';
import { fieldError, parseQuery, validate } from '../input/validation.ts';
import { basePathOf, type Exchange } from './exchange.ts';
import { hashSecret } from '../../../shared/ids.ts';

export interface RunnerDeps {
  credentials: CredentialReader;
  tenants: TenantReader;
  limiter: RateLimiter;
  clock: Clock;
  cookie: SessionCookie;
  guards: StreamGuards;
  audit: AuditRecorder;
  documents: DocumentReader;
  callerCache: CallerCache;
  /** Queue for routes with `takesTurns`, by organization. */
  turns: FairQueue;
}

type MatchedExchange = Exchange & { params: Record<string, string> };

/** Runs a request through its route: rate limit, credentials, permission, input, handler, audit log. */
export async function runRoute(
  deps: RunnerDeps, route: Route, exchange: MatchedExchange,
): Promise<RouteResponse> {
  const { req: request, state, params } = exchange;
  const { headers } = request;
  const { auth } = route;
  const now = deps.clock.now();
  const cookie = deps.cookie.appliesTo(headers) ? deps.cookie : null;
  if (route.endsSession === true && cookie !== null) exchange.set('Set-Cookie', cookie.clearCookie);
  const credential = auth.access === 'public' ? null : credentialOf(headers, cookie, route.acceptsBearerKey);
  const identify = async (at: number) => {
    if (route.bearer !== undefined) requireBearer(headers, route.bearer);
    return authenticate(deps.credentials, credential, at);
  };
  const caller = await identifyAndCount(deps, route, exchange, credential?.text ?? null, () => identify(now));

  const { 'last-event-id': lastEventId, 'accept-language': languages } = headers;
  const base = {
    requestId: state.requestId, address: state.addressKey, clientAddress: state.clientAddress,
    actor: { kind: 'none' } as const, now, isUpgrade: 101 in route.responses && isUpgrade(request),
    basePath: basePathOf(request),
    ...(route.isLong === true ? { isClientGone: () => request.socket.destroyed } : {}),
    ...(languages === undefined ? {} : { languages }),
    ...(typeof lastEventId === 'string' ? { lastEventId } : {}),
    ...(cookie === null ? {} : { cookie }),
  };
  const permit = (to: Caller | null) => (auth.access === 'path-project'
    ? authorizePath(deps.tenants, auth, to, request, base, params['projectId'])
    : authorize(deps.tenants, auth, to, request, base));
  const context = await permit(caller);
  const query = route.ignoresQuery === true
    ? Object.fromEntries(new URLSearchParams(exchange.querystring)) : parseQuery(exchange.querystring);
  const queueKey = context.tenant?.organizationId ?? state.addressKey;
  // Received before queueing, so that a slow client delays nobody.
  const received = route.body === undefined ? null : await receiveBody(deps, route, exchange, queueKey);
  const serve = async () => {
    // A missing body counts as an empty object. The JSON text `null` is a body, and an invalid one.
    const { body = {} } = { body: await received?.parse() };
    const input = {
      params: route.params === undefined ? undefined : validate(route.params, params),
      query: parsedQuery(route, query),
      body: await parsedBody(route, body),
    };
    return { body, response: await route.handle(context, input) };
  };
  const served = route.takesTurns === true ? deps.turns.run(queueKey, serve) : serve();
  const { body, response } = await served.finally(() => received?.release());
  // Access to public data can't be lost.
  if (response.stream !== undefined && caller !== null) {
    deps.guards.guard(response.stream, authorOf(caller), async () => {
      await permit(await identify(deps.clock.now()));
    });
  }
  if (typeof route.audit === 'string') {
    await deps.audit.record({ action: route.audit, route, context, params, query, body, response });
  }
  return response;
}

/**
 * Identifies the caller and counts the request: under the cached owner of the credential, else the address,
 * then under the actual caller. A caller over the limit is refused before its credential is read. Bad
 * credentials count by address.
 */
async function identifyAndCount(
  { limiter, callerCache }: RunnerDeps, route: Route, { state }: Exchange, credential: string | null,
  identify: () => Promise<Caller | null>,
): Promise<Caller | null> {
  const isUnlimited = route.isUnlimited === true;
  const count = (key: string) => {
    state.rateDecision = limiter.take(key);
    if (!state.rateDecision.isAllowed) throw rateLimitExceeded();
  };
  const expected = (credential === null ? null : callerCache.keyOf(credential)) ?? state.addressKey;
  if (isUnlimited) state.rateDecision = limiter.peek(expected);
  else count(expected);
  const caller = await identify().catch((failure: unknown) => ({ failure }));
  const isFailure = caller !== null && 'failure' in caller;
  // All sessions and keys of a user share one limit.
  const key = caller === null || isFailure ? state.addressKey : `user:${authorOf(caller)}`;
  if (credential !== null) {
    if (!isFailure) callerCache.remember(credential, key);
    else if (caller.failure instanceof AppError) callerCache.forget(credential);
  }
  if (isUnlimited ? isFailure : key !== expected) {
    if (!isUnlimited) limiter.refund(expected);
    count(key);
  }
  if (isFailure) throw route.auth.access === 'path-project' ? asUnauthenticated(caller.failure) : caller.failure;
  return caller;
}

async function receiveBody(
  { documents, clock }: RunnerDeps, { bodyFormat = 'json' }: Route, { req }: Exchange, queueKey: string,
): Promise<ReceivedBody> {
  if (bodyFormat === 'document' || bodyFormat === 'file') return documents.receive(req, bodyFormat, queueKey);
  const body = await readBody(req, bodyFormat, clock);
  return { parse: async () => body, release: () => undefined };
}

function parsedQuery({ query: schema, ignoresQuery }: Route, query: Record<string, string>): unknown {
  if (schema !== undefined) return validate(schema, query);
  return ignoresQuery === true ? undefined : rejectAnyParameter(query);
}

/** Throws VALIDATION_ERROR. */
export function parsedBody({ body, parseBody }: Route, sent: unknown): unknown {
  if (parseBody !== undefined) return parseBody(sent);
  return body === undefined ? undefined : validate(body, sent);
}

function rejectAnyParameter(query: Record<string, string>): undefined {
  const name = Object.keys(query)[0];
  if (name === undefined) return undefined;
  throw fieldError(name, 'Unrecognized parameter', 'unrecognized_keys');
}

const MAX_CALLERS = 10_000;

/**
 * Caches the owners of credentials, so that a request can be counted before it costs a query. Used for the
 * rate limit only. Holds 10,000 entries and evicts the least recently used.
 */
export class CallerCache {
  /** Rate-limit keys by hash of the credential. */
  readonly #keys = new Map<string, string>();

  /** The rate-limit key of `credential`; null if it isn't cached. */
  keyOf(credential: string): string | null {
    return this.#keys.get(hashSecret(credential)) ?? null;
  }

  remember(credential: string, key: string): void {
    const hash = hashSecret(credential);
    this.#keys.delete(hash);
    this.#keys.set(hash, key);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > MAX_CALLERS && oldest !== undefined) this.#keys.delete(oldest);
  }

  /** Called when the credential is no longer valid. */
  forget(credential: string): void {
    this.#keys.delete(hashSecret(credential));
  }
}
