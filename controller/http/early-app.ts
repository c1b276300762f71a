import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time.ts';
import { clientAddress } from './client-address.ts';
import {
  addressKey, addressKeyOf, errorBody, JSON_CONTENT, RETRY_AFTER_SECONDS, requestIdOf, SECURITY_HEADERS,
} from './exchange.ts';
import type { PackedAnswer } from './packed-answer.ts';
import { send } from './quick-answers.ts';
import { rateLimitHeaders, RateLimiter } from './rate-limit.ts';
import { createHttpServer, limitsBehind, type HttpServer } from './server.ts';

interface EarlyDeps {
  clock: Clock;
  /** Number of proxies in front. */
  trustProxy: number;
  /** Requests in 15 minutes, which count once the service has started. */
  rateLimit: number;
  /** What can be answered already; null, or a rejection: nothing. */
  find(request: IncomingMessage): Promise<PackedAnswer | null>;
}

const ALIVE = JSON.stringify({ success: true, data: { status: 'ok' } });
const STARTING = JSON.stringify(errorBody(
  new AppError('SERVICE_UNAVAILABLE', 'The service is starting; try again'),
));

const REFUSAL = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

/**
 * The server before there is anything behind it: it says that it is alive, answers what `find` knows, and 503
 * to all else, until `createApp` takes it over.
 */
export function createEarlyApp({ clock, trustProxy, rateLimit, find }: EarlyDeps): HttpServer {
  const limiter = new RateLimiter(clock, rateLimit);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const found = isRead ? await find(request).catch(() => null) : null;
    const rate = rateLimitHeaders(limiter.peek(addressKeyOf(request, trustProxy)));
    const own = { 'X-Request-ID': requestIdOf(request), ...rate };
    if (found !== null) return send(response, await found.reply(request.headers), own);
    const isAlive = isRead && request.url === '/healthz';
    const headers = { ...SECURITY_HEADERS, ...own, 'Content-Type': JSON_CONTENT };
    if (isAlive) response.writeHead(200, headers).end(ALIVE);
    // What is sent along is not read.
    else response.writeHead(503, { ...headers, ...REFUSAL, Connection: 'close' }).end(STARTING);
  };
  return createHttpServer({
    handle: (request, response) => void answer(request, response).catch(() => response.destroy()),
    refuse: (_status, peer) => {
      const rate = rateLimitHeaders(limiter.peek(addressKey(clientAddress(peer, undefined, 0))));
      const own = { 'X-Request-ID': randomUUID(), 'Content-Type': JSON_CONTENT };
      return { headers: { ...SECURITY_HEADERS, ...REFUSAL, ...rate, ...own }, body: STARTING };
    },
    onConnectionRefused: () => undefined, clock, limits: limitsBehind(trustProxy),
  });
}
