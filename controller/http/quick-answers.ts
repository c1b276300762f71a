import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../shared/time.ts';
import { addressKeyOf, requestIdOf } from './exchange.ts';
import type { RequestObserver } from './metrics.ts';
import type { PackedAnswer, PackedReply } from './packed-answer.ts';
import { rateLimitHeaders, type RateLimiter } from './rate-limit.ts';

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

/**
 * Answers a request whose answer is ready, and returns true; else false, and nothing has happened. What it
 * sends, counts and measures is what the route does, without the cost of getting there.
 */
export function quickHandler({ quick, limiter, trustProxy, clock, observe }: QuickDeps) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method = '', headers } = request;
    if ((method !== 'GET' && method !== 'HEAD') || hasBody(request)) return false;
    const startedAt = clock.monotonic();
    const found = quick.find(request);
    const reply = found?.answer.replyAtOnce(headers) ?? null;
    if (found === null || reply === null) return false;
    const key = addressKeyOf(request, trustProxy);
    const verdict = limiter.take(key);
    if (!verdict.isAllowed) {
      limiter.giveBack(key);
      return false;
    }
    const limits = rateLimitHeaders(verdict);
    send(response, reply, { 'X-Request-ID': requestIdOf(request), ...limits });
    observe({ method, route: found.route, status: reply.status, durationMs: clock.monotonic() - startedAt });
    return true;
  };
}

export function send(
  response: ServerResponse, { status, flat, body }: PackedReply, more: Record<string, string>,
): void {
  const all = [...flat];
  for (const name in more) all.push(name, more[name] as string);
  response.writeHead(status, all).end(body);
}

/** Its rest would have to be read before the next request of the connection. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
