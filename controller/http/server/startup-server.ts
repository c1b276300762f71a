import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import {
  clientAddress, addressKey, addressKeyOf, errorBody, JSON_CONTENT, RETRY_AFTER_SECONDS, requestIdOf,
  SECURITY_HEADERS,
} from '../routing/exchange.ts';
import type { CompressedResponse } from '../responses/compressed-response.ts';
import { rateLimitHeaders, RateLimiter } from '../limits/rate-limit.ts';
import { effectiveLimits } from '../limits/server-limits.ts';
import { createHttpServer, type HttpServer } from './server.ts';
import { send } from './fast-responses.ts';

interface StartupDeps {
  clock: Clock;
  /** Number of trusted proxies. */
  trustProxy: number;
  /** Requests per 15 minutes once the service has started. */
  rateLimit: number;
  /** The response if it is already known. Null or a rejection means 503. */
  find(request: IncomingMessage): Promise<CompressedResponse | null>;
}

const HEALTHY_BODY = JSON.stringify({ success: true, data: { status: 'ok' } });
const STARTING_BODY = JSON.stringify(errorBody(
  new AppError('SERVICE_UNAVAILABLE', 'The service is starting; try again'),
));

const RETRY_HEADERS = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

/**
 * The server during startup: reports that it is alive, sends the responses that `find` knows, and 503 for
 * everything else, until `createApp` takes it over.
 */
export function createStartupServer({ clock, trustProxy, rateLimit, find }: StartupDeps): HttpServer {
  const limiter = new RateLimiter(clock, rateLimit);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const found = isRead ? await find(request).catch(() => null) : null;
    const rate = rateLimitHeaders(limiter.peek(addressKeyOf(request, trustProxy)));
    const extraHeaders = { 'X-Request-ID': requestIdOf(request), ...rate };
    if (found !== null) return send(response, await found.negotiate(request.headers), extraHeaders);
    const isHealthCheck = isRead && request.url === '/healthz';
    const headers = { ...SECURITY_HEADERS, ...extraHeaders, 'Content-Type': JSON_CONTENT };
    if (isHealthCheck) response.writeHead(200, headers).end(HEALTHY_BODY);
    // Leaves the request's body unread.
    else response.writeHead(503, { ...headers, ...RETRY_HEADERS, Connection: 'close' }).end(STARTING_BODY);
  };
  return createHttpServer({
    handle: (request, response) => void respond(request, response).catch(() => response.destroy()),
    refuse: (_status, peer) => {
      const rate = rateLimitHeaders(limiter.peek(addressKey(clientAddress(peer, undefined, 0))));
      const extraHeaders = { 'X-Request-ID': randomUUID(), 'Content-Type': JSON_CONTENT };
      const headers = { ...SECURITY_HEADERS, ...RETRY_HEADERS, ...rate, ...extraHeaders };
      return { headers, body: STARTING_BODY };
    },
    upgradeAddress: () => null, onConnectionRefused: () => undefined, clock,
    limits: effectiveLimits(trustProxy),
  });
}
