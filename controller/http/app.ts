import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { LARGEST_DISCARDED } from './body/body.ts';
import { clientAddress } from './client-address.ts';
import { DocumentReader } from './body/document-reader.ts';
import { errorAnswer, toAppError } from './envelope.ts';
import { addressKey, beginExchange, JSON_CONTENT, sendError, sendReply, sendUnmatched, type Exchange, type ExchangeState } from './exchange.ts';
import { rateLimitHeaders, SECURITY_HEADERS } from './headers.ts';
import type { RequestObserver } from './metrics.ts';
import { rateLimitExceeded } from './rate-limit.ts';
import { referenceRoutes } from './reference/routes.ts';
import { requestId } from './request-id.ts';
import type { Route } from './route.ts';
import { runRoute, type RunnerDeps } from './route-runner.ts';
import { checkRoutes, inMatchingOrder } from './route-table.ts';
import { createHttpServer, SERVER_LIMITS, type HttpServer, type RefusalWriter, type RequestHandler, type ServerLimits } from './server.ts';

export interface AppDeps extends Omit<RunnerDeps, 'documents'> {
  /** Every route there is; none can be added later. */
  routes: readonly Route[];
  /** Number of proxies in front whose X-Forwarded-For is believed. */
  trustProxy: number;
  log: Log;
  /** Whether an error means that the database is not to be had now. */
  isUnavailable(error: unknown): boolean;
  observe: RequestObserver;
  limits?: ServerLimits;
}

/** The HTTP edge over a closed list of routes, and the reference of them. Throws when a route lacks its `auth` or two claim one path. */
export function createApp(deps: AppDeps): HttpServer {
  const routes = [...deps.routes, ...referenceRoutes(deps.routes)];
  checkRoutes(routes);
  let isDraining = false;

  const koa = new Koa<ExchangeState>();
  koa.on('error', (error: unknown) => deps.log.debug({ err: error }, 'an answer could not be sent'));
  koa.use(frame(deps, () => isDraining));
  koa.use(createRouter({ ...deps, documents: new DocumentReader(deps.clock) }, routes));
  koa.use((exchange: Exchange & { matched?: { methods: string[] }[] }) => {
    exchange.state.verdict = deps.limiter.take(exchange.state.addressKey);
    if (!exchange.state.verdict.isAllowed) throw rateLimitExceeded();
    sendUnmatched(exchange, (exchange.matched ?? []).flatMap((layer) => layer.methods));
  });

  const server = createHttpServer(requestHandler(koa), refusalWriter(deps), deps.clock, deps.limits ?? SERVER_LIMITS);
  return {
    listen: (port, host) => server.listen(port, host),
    close: () => {
      isDraining = true;
      return server.close();
    },
  };
}

/** Koa's own promise never rejects: what fails is answered by `frame` or told to the `error` event. */
function requestHandler(koa: Koa<ExchangeState>): RequestHandler {
  const handle = koa.callback();
  return (request, response) => void handle(request, response);
}

/** What every answer gets, whoever wrote it: id, security and rate-limit headers, the error body. */
function frame(deps: AppDeps, isDraining: () => boolean): Middleware<ExchangeState> {
  return async (exchange, next) => {
    const startedAt = deps.clock.monotonic();
    exchange.state = beginExchange(exchange, deps.trustProxy);
    exchange.set(SECURITY_HEADERS);
    exchange.set('X-Request-ID', exchange.state.requestId);
    try {
      await next();
    } catch (error) {
      const mapper = { isUnavailable: deps.isUnavailable, onUnexpected: (cause: unknown) => report(deps, exchange, cause) };
      sendError(exchange, toAppError(error, mapper, exchange.state.route?.failure));
    }
    exchange.set(rateLimitHeaders(exchange.state.verdict ?? deps.limiter.peek(exchange.state.addressKey)));
    if (isDraining() || hasHugeRest(exchange.req)) exchange.set('Connection', 'close');
    const durationMs = deps.clock.monotonic() - startedAt;
    deps.observe({ method: exchange.method, route: exchange.state.route?.path ?? 'none', status: exchange.status, durationMs });
  };
}

function createRouter(deps: AppDeps & RunnerDeps, routes: readonly Route[]): Middleware<ExchangeState> {
  const router = new Router<ExchangeState>({ sensitive: true });
  for (const route of inMatchingOrder(routes)) {
    router.register(route.path, [route.method], async (exchange) => {
      const { state } = exchange;
      state.route = route;
      const reply = await runRoute(deps, route, {
        requestId: state.requestId,
        addressKey: state.addressKey,
        params: exchange.params,
        querystring: exchange.querystring,
        raw: exchange.req,
        onVerdict: (verdict) => {
          state.verdict = verdict;
        },
      });
      sendReply(exchange, route, reply);
    });
  }
  return router.routes() as unknown as Middleware<ExchangeState>;
}

/** A body whose rest is not worth reading to its end for the sake of the connection's next request. */
function hasHugeRest(request: IncomingMessage): boolean {
  return !request.complete && (request.readableDidRead || Number(request.headers['content-length'] ?? 0) > LARGEST_DISCARDED);
}

function report(deps: AppDeps, exchange: Exchange, cause: unknown): void {
  const { requestId: id, route } = exchange.state;
  deps.log.error({ err: cause, requestId: id, method: exchange.method, route: route?.path }, 'request failed unexpectedly');
}

/** Answers what the HTTP parser refuses, which never becomes a request. */
function refusalWriter(deps: AppDeps): RefusalWriter {
  return (status, peer) => {
    const verdict = deps.limiter.take(addressKey(clientAddress(peer, undefined, 0)));
    const { body } = errorAnswer(new AppError('BAD_REQUEST', 'The request is not valid HTTP, too large or too slow'));
    deps.observe({ method: 'other', route: 'none', status, durationMs: 0 });
    const headers = { ...SECURITY_HEADERS, ...rateLimitHeaders(verdict), 'X-Request-ID': requestId(undefined), 'Content-Type': JSON_CONTENT };
    return { headers, body: JSON.stringify(body) };
  };
}
