import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Log } from '../../../shared/log.ts';
import { AppError } from '../../errors/app-error.ts';
import { MAX_DISCARDED_BYTES } from '../body/body.ts';
import type { DocumentMemory } from '../body/document-memory.ts';
import { DocumentReader } from '../body/document-reader.ts';
import { CallerCache, runRoute, type RunnerDeps } from '../routing/route-runner.ts';
import {
  addressKey, beginExchange, clientAddress, clientAddressOf, errorBody, JSON_CONTENT, SECURITY_HEADERS,
  sendError, sendResponse, sendUnmatched, type Exchange, type ExchangeState,
} from '../routing/exchange.ts';
import type { RequestObserver } from './metrics.ts';
import { rateLimitExceeded, rateLimitHeaders } from '../limits/rate-limit.ts';
import { effectiveLimits, type ServerLimits } from '../limits/server-limits.ts';
import { referenceRoutes } from '../reference/routes.ts';
import type { Route } from '../routing/route.ts';
import { checkRoutes, inMatchingOrder } from '../routing/route-table.ts';
import { createHttpServer, type ServerHandlers, type HttpServer, type RefusalWriter } from './server.ts';
import { fastHandler, type FastResponses } from './fast-responses.ts';

export interface AppDeps extends Omit<RunnerDeps, 'documents' | 'callerCache'> {
  /** All routes; none can be added later. */
  routes: readonly Route[];
  /** Memory of queued documents, by organization. */
  documentMemory: DocumentMemory;
  /** Number of trusted proxies that append to X-Forwarded-For. */
  trustProxy: number;
  log: Log;
  /** Whether an error means that a part of the service is unavailable, so that a retry may succeed. */
  isUnavailable(error: unknown): boolean;
  observe: RequestObserver;
  /** Called when a connection is closed because its address has used up its share. */
  onConnectionRefused(): void;
  limits?: ServerLimits;
  /** Responses sent without routing. */
  fastResponses?: FastResponses;
  /** Rewrites a request's URL by its host and the base path. Never rejects. */
  hosts?: { rewrite(request: IncomingMessage): Promise<void> | undefined };
  /** Called with each request outside the API, whose URL it may rewrite. */
  onPageRequest?(request: IncomingMessage): void;
  /** Omits the API reference. */
  isBare?: boolean;
}

/**
 * The HTTP server over these routes and, unless bare, their reference. Throws if a route is incomplete or
 * declared twice. `existing` is a server that already listens; its handlers are replaced.
 */
export function createApp(deps: AppDeps, existing?: HttpServer): HttpServer {
  const routes = [...deps.routes, ...(deps.isBare === true ? [] : referenceRoutes(deps.routes))];
  checkRoutes(routes);
  const koa = new Koa<ExchangeState>();
  koa.on('error', (error: unknown) => deps.log.debug({ err: error }, 'could not send a response'));
  koa.use(wrapResponse(deps, () => !server.isListening));
  const documents = new DocumentReader(deps.clock, deps.documentMemory);
  const runnerDeps = { documents, callerCache: new CallerCache() };
  koa.use(createRouter({ ...deps, ...runnerDeps }, routes));
  koa.use((exchange: Matched) => {
    exchange.state.rateDecision = deps.limiter.take(exchange.state.addressKey);
    if (!exchange.state.rateDecision.isAllowed) throw rateLimitExceeded();
    const layers = (exchange.matched ?? []).filter(({ path }) => path === pathOf(exchange));
    sendUnmatched(exchange, layers.flatMap(({ methods }) => methods));
  });

  const handle = koa.callback();
  const upgradePaths = routes.filter(({ responses }) => 101 in responses).map(({ path }) => path);
  const { fastResponses } = deps;
  const respondFast = fastResponses === undefined ? () => false : fastHandler({ ...deps, fastResponses });
  const handlers: ServerHandlers = {
    handle: (request, response) => {
      const respond = () => {
        const { url = '' } = request;
        const isPage = !url.startsWith('/api/');
        if (isPage) deps.onPageRequest?.(request);
        const mayBeReady = isPage || url.startsWith('/api/public/');
        if (mayBeReady && server.isListening && respondFast(request, response)) return;
        // Koa's promise never rejects: `wrapResponse` sends failures, and the `error` event reports the rest.
        void handle(request, response);
      };
      const pending = deps.hosts?.rewrite(request);
      if (pending === undefined) respond();
      else void pending.then(respond);
    },
    refuse: refusalWriter(deps), onConnectionRefused: deps.onConnectionRefused,
    upgradeAddress: (request) => {
      const path = request.url?.split('?')[0] ?? '';
      const isOffered = upgradePaths.some((each) => path.endsWith(each));
      return isOffered ? clientAddressOf(request, deps.trustProxy) : null;
    },
  };
  const limits = effectiveLimits(deps.trustProxy, deps.limits);
  const server = existing ?? createHttpServer({ ...handlers, clock: deps.clock, limits });
  server.useHandlers(handlers);
  return server;
}

/** Adds the request id, security and rate-limit headers to every response, and the body to errors. */
function wrapResponse(deps: AppDeps, isDraining: () => boolean): Middleware<ExchangeState> {
  return async (exchange, next) => {
    const startedAt = deps.clock.monotonic();
    exchange.state = beginExchange(exchange.req, deps.trustProxy);
    const { state, req } = exchange;
    exchange.set(SECURITY_HEADERS);
    exchange.set('X-Request-ID', state.requestId);
    try {
      await next();
    } catch (error) {
      sendError(exchange, toAppError(deps, exchange, error));
    }
    exchange.set(rateLimitHeaders(state.rateDecision ?? deps.limiter.peek(state.addressKey)));
    if (isDraining() || hasLargeUnreadBody(req)) exchange.set('Connection', 'close');
    const { method, status } = exchange;
    const durationMs = deps.clock.monotonic() - startedAt;
    deps.observe({ method, route: state.route?.path ?? 'none', status, durationMs });
  };
}

function createRouter(deps: AppDeps & RunnerDeps, routes: readonly Route[]): Middleware<ExchangeState> {
  const router = new Router<ExchangeState>({ sensitive: true });
  for (const route of inMatchingOrder(routes)) {
    router.register(route.path, [route.method], async (exchange, next) => {
      if (pathOf(exchange) !== route.path) return next();
      exchange.state.route = route;
      await sendResponse(exchange, route, await runRoute(deps, route, exchange));
    });
  }
  return router.routes() as unknown as Middleware<ExchangeState>;
}

/** A request with the routes whose path it matches, whatever their methods, in matching order. */
type Matched = Exchange & { matched?: { path: string | RegExp; methods: string[] }[] };

/** The matched path; one with a fixed last segment wins over one with a parameter. */
function pathOf(exchange: Matched): string | RegExp | undefined {
  return exchange.matched?.[0]?.path;
}

/** The error that the caller sees. Logs an unexpected one and replaces it with the route's `failure`. */
function toAppError(deps: AppDeps, { state, method }: Exchange, error: unknown): AppError {
  if (error instanceof AppError && error.status !== 500) return error;
  if (deps.isUnavailable(error)) {
    const message = 'The service is temporarily unavailable; try again';
    return new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
  }
  const { requestId, route } = state;
  deps.log.error({ err: error, requestId, method, route: route?.path }, 'request failed unexpectedly');
  if (error instanceof AppError) return error;
  const { code = 'INTERNAL_ERROR', message = 'An unexpected error occurred' } = route?.failure ?? {};
  return new AppError(code, message, { cause: error });
}

/** Whether too much of the body is unread to reuse the connection. */
function hasLargeUnreadBody({ complete, readableDidRead, headers }: IncomingMessage): boolean {
  return !complete && (readableDidRead || Number(headers['content-length'] ?? 0) > MAX_DISCARDED_BYTES);
}

/** Writes the response to requests that the HTTP parser rejects; they never reach Koa. */
function refusalWriter(deps: AppDeps): RefusalWriter {
  const error = new AppError('BAD_REQUEST', 'The request is not valid HTTP, too large or too slow');
  const body = JSON.stringify(errorBody(error));
  return (status, peer) => {
    const decision = deps.limiter.take(addressKey(clientAddress(peer, undefined, 0)));
    deps.observe({ method: 'other', route: 'none', status, durationMs: 0 });
    const extra = { 'X-Request-ID': randomUUID(), 'Content-Type': JSON_CONTENT };
    return { headers: { ...SECURITY_HEADERS, ...rateLimitHeaders(decision), ...extra }, body };
  };
}
