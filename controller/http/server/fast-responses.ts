import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../../shared/time.ts';
import { rateLimitHeaders, rateLimitLines, type RateLimiter } from '../limits/rate-limit.ts';
import type { CompressedResponse, SharedResponse } from '../responses/compressed-response.ts';
import { createTextSender } from '../responses/response-text.ts';
import { addressKeyOf, requestIdOf } from '../routing/exchange.ts';
import type { RequestObserver } from './metrics.ts';

/** Responses that are ready before a request is routed. */
export interface FastResponses {
  /** Null: the request is routed as usual. `route` is the path of the route with the same response. */
  find(request: IncomingMessage): { route: string; response: CompressedResponse } | null;
}

interface FastDeps {
  fastResponses: FastResponses;
  limiter: RateLimiter;
  trustProxy: number;
  clock: Clock;
  observe: RequestObserver;
}

/** Hexadecimal digits of the counter at the end of a request id. */
const ID_DIGITS = 4;
const IDS_PER_PREFIX = 16 ** ID_DIGITS;

/** Rate-limit key of a connection's last request, and the headers it was derived from. */
interface CountedClient {
  forwardedFor: string | string[] | undefined;
  key: string;
}

/**
 * Responds to a request if its response is ready; otherwise returns false and has no effect. Headers, rate
 * limit and metrics match the route's, without the cost of routing.
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

/** UUID-like ids that count up from a random start: a random one each would cost more than the rate limit. */
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
  response: ServerResponse, { status, headers, body }: Pick<SharedResponse, 'status' | 'headers' | 'body'>, ownHeaders: Record<string, string>,
): void {
  response.writeHead(status, { ...headers, ...ownHeaders }).end(body);
}

/** The body would have to be read before the connection's next request. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
