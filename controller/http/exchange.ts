import type { ParameterizedContext } from 'koa';
import { AppError } from '../../shared/errors.ts';
import { addressBucket, clientAddress } from './client-address.ts';
import { errorAnswer, notFoundBody, successBody } from './envelope.ts';
import type { RateVerdict } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { isRawAnswer, isStreamAnswer, type AnyReply, type Route } from './route.ts';

/** What the edge knows of a request while it is answered. */
export interface ExchangeState {
  requestId: string;
  /** What the request counts under while nobody is known to have sent it. */
  addressKey: string;
  verdict: RateVerdict | null;
  /** Null while no route has taken it. */
  route: Route | null;
}

export type Exchange = ParameterizedContext<ExchangeState>;

export const JSON_CONTENT = 'application/json; charset=utf-8';
export const HTML_CONTENT = 'text/html; charset=utf-8';

export function beginExchange(exchange: Exchange, trustedProxies: number): ExchangeState {
  const { socket, headers } = exchange.req;
  return {
    requestId: requestId(headers['x-request-id']),
    addressKey: addressKey(clientAddress(socket.remoteAddress, headers['x-forwarded-for'], trustedProxies)),
    verdict: null,
    route: null,
  };
}

export function addressKey(address: string): string {
  return `ip:${addressBucket(address)}`;
}

/** Sends what a route's handler replied. Throws when the route has not declared that status. */
export function sendReply(exchange: Exchange, route: Route, reply: AnyReply): void {
  const answer = route.answers[reply.status];
  if (answer === undefined) throw new Error(`${route.method} ${route.path} replied with ${reply.status}, which it does not declare`);
  exchange.status = reply.status;
  if (reply.stream !== undefined && isStreamAnswer(answer)) {
    exchange.body = reply.stream;
    exchange.type = answer.contentType;
  } else if (isRawAnswer(answer) && (answer.data === undefined || reply.raw !== undefined)) {
    exchange.type = answer.contentType;
    exchange.body = typeof reply.raw === 'string' ? reply.raw : Buffer.from(reply.raw ?? '');
  } else sendJson(exchange, successBody(reply.data));
  if (reply.headers !== undefined) exchange.set(reply.headers);
}

export function sendError(exchange: Exchange, error: AppError): void {
  const retryAfter = error.code === 'RATE_LIMIT_EXCEEDED' ? exchange.state.verdict?.retryAfter : undefined;
  const { status, body } = errorAnswer(error, retryAfter);
  exchange.status = status;
  const page = exchange.state.route?.errorPage?.(error);
  if (page === undefined) return sendJson(exchange, body);
  exchange.type = HTML_CONTENT;
  exchange.body = page.html;
  exchange.set(page.headers);
}

/** A request that no route took: its path is unknown, or known with other methods (`methods`). */
export function sendUnmatched(exchange: Exchange, methods: readonly string[]): void {
  if (methods.length === 0) {
    exchange.status = 404;
    sendJson(exchange, notFoundBody(exchange.path));
    return;
  }
  exchange.set('Allow', [...new Set([...methods, 'OPTIONS'])].sort().join(', '));
  if (exchange.method === 'OPTIONS') {
    exchange.status = 204;
    return;
  }
  sendError(exchange, new AppError('METHOD_NOT_ALLOWED', 'This path does not take that method'));
}

function sendJson(exchange: Exchange, body: unknown): void {
  exchange.body = JSON.stringify(body);
  exchange.type = JSON_CONTENT;
}
