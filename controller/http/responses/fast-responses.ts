import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../../shared/time.ts';
import { createTextSender } from './response-text.ts';
import { addressKeyOf, requestIdOf } from '../server/exchange.ts';
import type { RequestObserver } from '../server/metrics.ts';
import type { CompressedResponse, EncodedResponse } from './compressed-response.ts';
import { rateLimitHeaders, rateLimitLines, type RateLimiter } from '../limits/rate-limit.ts';

/** Answers that are ready before their request is looked at closely. */
export interface FastResponses {
  /** Null: the request takes the usual way. `route` is the path of the route that answers the same there. */
  find(request: IncomingMessage): { route: string; response: CompressedResponse } | null;
}

interface FastDeps {
  fastResponses: FastResponses;
  limiter: RateLimiter;
  trustProxy: number;
  clock: Clock;
  observe: RequestObserver;
}

/** Hexadecimal digits at the end of a request's id that count. */
const ID_DIGITS = 4;
const IDS_PER_PREFIX = 16 ** ID_DIGITS;

/** Whom a connection's last request was counted under, and what it said of whom it came from. */
interface CountedClient {
  forwardedFor: string | string[] | undefined;
  key: string;
}

/**
 * Answers a request whose answer is ready, and returns true; else false, and nothing has happened. What it
 * sends, counts and measures is what the route does, without the cost of getting there.
 */
export function fastHandler({ fastResponses, limiter, trustProxy, clock, observe }: FastDeps) {
  const clients = new WeakMap<Socket, CountedClient>();
  const keyOf = (request: IncomingMessage): string => {
    const forwardedFor = request.headers['x-forwarded-for'];
    const last = clients.get(request.socket);
    if (last !== undefined && last.forwardedFor === forwardedFor) return last.key;
    const key = addressKeyOf(request, trustProxy);
    clients.set(request.socket, { forwardedFor, key });
    return key;
  };
  const newId = createRequestIds();
  const sendText = createTextSender(clock);
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method = '', headers } = request;
    if ((method !== 'GET' && method !== 'HEAD') || hasBody(request)) return false;
    const startedAt = clock.monotonic();
    const found = fastResponses.find(request);
    const content = found?.response.negotiateSync(headers) ?? null;
    if (found === null || content === null) return false;
    const decision = limiter.take(keyOf(request));
    if (!decision.isAllowed) return false;
    const id = requestIdOf(request, newId);
    if (!sendText(request, response, content, `X-Request-ID: ${id}\r\n${rateLimitLines(decision)}`)) {
      send(response, content, { 'X-Request-ID': id, ...rateLimitHeaders(decision) });
    }
    const durationMs = clock.monotonic() - startedAt;
    observe({ method, route: found.route, status: content.status, durationMs });
    return true;
  };
}

/** Ids like UUIDs that count up from random ones: drawing each would cost more than the rate limit. */
function createRequestIds(): () => string {
  let prefix = '';
  let count = 0;
  return () => {
    if (count % IDS_PER_PREFIX === 0) prefix = randomUUID().slice(0, -ID_DIGITS);
    count += 1;
    return prefix + (IDS_PER_PREFIX + (count % IDS_PER_PREFIX)).toString(16).slice(1);
  };
}

export function send(
  response: ServerResponse, { status, headers, body }: EncodedResponse, ownHeaders: Record<string, string>,
): void {
  response.writeHead(status, { ...headers, ...ownHeaders }).end(body);
}

/** Its rest would have to be read before the next request of the connection. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
