import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../shared/time.ts';
import { createTextSender } from './answer-text.ts';
import { addressKeyOf, requestIdOf } from './exchange.ts';
import type { RequestObserver } from './metrics.ts';
import type { PackedAnswer, PackedReply } from './packed-answer.ts';
import { rateLimitHeaders, rateLimitLines, type RateLimiter } from './rate-limit.ts';

/** Answers that are ready before their request is looked at closely. */
export interface QuickAnswers {
  /** Null: the request takes the usual way. `route` is the path of the route that answers the same there. */
  find(request: IncomingMessage): { route: string; answer: PackedAnswer } | null;
}

interface QuickDeps {
  quick: QuickAnswers;
  limiter: RateLimiter;
  trustProxy: number;
  clock: Clock;
  observe: RequestObserver;
}

/** Hexadecimal digits at the end of a request's id that count. */
const ID_DIGITS = 4;
const IDS_OF_DRAW = 16 ** ID_DIGITS;

/** Whom a connection's last request was counted under, and what it said of whom it came from. */
interface Counted {
  forwarded: string | string[] | undefined;
  key: string;
}

/**
 * Answers a request whose answer is ready, and returns true; else false, and nothing has happened. What it
 * sends, counts and measures is what the route does, without the cost of getting there.
 */
export function quickHandler({ quick, limiter, trustProxy, clock, observe }: QuickDeps) {
  const counted = new WeakMap<Socket, Counted>();
  const keyOf = (request: IncomingMessage): string => {
    const forwarded = request.headers['x-forwarded-for'];
    const last = counted.get(request.socket);
    if (last !== undefined && last.forwarded === forwarded) return last.key;
    const key = addressKeyOf(request, trustProxy);
    counted.set(request.socket, { forwarded, key });
    return key;
  };
  const newId = createRequestIds();
  const sendText = createTextSender(clock);
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method = '', headers } = request;
    if ((method !== 'GET' && method !== 'HEAD') || hasBody(request)) return false;
    const startedAt = clock.monotonic();
    const found = quick.find(request);
    const reply = found?.answer.replyAtOnce(headers) ?? null;
    if (found === null || reply === null) return false;
    const verdict = limiter.take(keyOf(request));
    if (!verdict.isAllowed) return false;
    const id = requestIdOf(request, newId);
    if (!sendText(request, response, reply, `X-Request-ID: ${id}\r\n${rateLimitLines(verdict)}`)) {
      send(response, reply, { 'X-Request-ID': id, ...rateLimitHeaders(verdict) });
    }
    observe({ method, route: found.route, status: reply.status, durationMs: clock.monotonic() - startedAt });
    return true;
  };
}

/** Ids like UUIDs that count up from random ones: drawing each would cost more than the rate limit. */
function createRequestIds(): () => string {
  let drawn = '';
  let count = 0;
  return () => {
    if (count % IDS_OF_DRAW === 0) drawn = randomUUID().slice(0, -ID_DIGITS);
    count += 1;
    return drawn + (IDS_OF_DRAW + (count % IDS_OF_DRAW)).toString(16).slice(1);
  };
}

export function send(
  response: ServerResponse, { status, headers, body }: PackedReply, own: Record<string, string>,
): void {
  response.writeHead(status, { ...headers, ...own }).end(body);
}

/** Its rest would have to be read before the next request of the connection. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
