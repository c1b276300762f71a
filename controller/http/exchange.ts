import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { AppError, ERROR_STATUS } from '../../shared/errors.ts';
import { addressBucket, clientAddress } from './client-address.ts';
import type { RateVerdict } from './rate-limit.ts';
import { isRawAnswer, isStreamAnswer, type AnyReply, type Route } from './route.ts';

export interface ExchangeState {
  requestId: string;
  /** What the request counts under in the rate limit while its caller is unknown. */
  addressKey: string;
  verdict: RateVerdict | null;
  /** Null until a route has matched. */
  route: Route | null;
}

export type Exchange = ParameterizedContext<ExchangeState>;

export const JSON_CONTENT = 'application/json; charset=utf-8';
export const HTML_CONTENT = 'text/html; charset=utf-8';

/** On every answer. Without Access-Control-Allow-Origin no other origin can read it. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Longest path that an answer repeats. */
const LONGEST_ECHO = 256;
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export function beginExchange(request: IncomingMessage, trustedProxies: number): ExchangeState {
  const addressKey = addressKeyOf(request, trustedProxies);
  return { requestId: requestIdOf(request), addressKey, verdict: null, route: null };
}

/** The caller's own id if headers and logs can safely repeat it. */
export function requestIdOf(
  { headers: { 'x-request-id': offered } }: IncomingMessage, newId: () => string = randomUUID,
): string {
  return typeof offered === 'string' && SAFE_ID.test(offered) ? offered : newId();
}

export function addressKeyOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  return addressKey(clientAddress(socket.remoteAddress, headers['x-forwarded-for'], trustedProxies));
}

export function addressKey(address: string): string {
  return `ip:${addressBucket(address)}`;
}

/** Sends a handler's reply. Throws when the route does not declare its status. */
export async function sendReply(exchange: Exchange, route: Route, reply: AnyReply): Promise<void> {
  const answer = route.answers[reply.status];
  if (answer === undefined) {
    throw new Error(`${route.method} ${route.path} replied with ${reply.status}, which it does not declare`);
  }
  if (reply.packed !== undefined) {
    const { status, headers, body } = await reply.packed.reply(exchange.req.headers);
    // It has all of its headers: what may be framed lacks this one.
    exchange.remove('X-Frame-Options');
    exchange.body = body;
    exchange.set(headers);
    exchange.status = status;
    return;
  }
  exchange.status = reply.status;
  if (reply.stream !== undefined && isStreamAnswer(answer)) {
    exchange.body = reply.stream;
    exchange.type = answer.contentType;
  } else if (isRawAnswer(answer) && (answer.data === undefined || reply.raw !== undefined)) {
    exchange.type = answer.contentType;
    exchange.body = rawBody(exchange, reply.raw);
  } else sendJson(exchange, { success: true, data: reply.data });
  if (reply.headers !== undefined) exchange.set(reply.headers);
}

function rawBody({ res }: Exchange, raw: AnyReply['raw'] = ''): string | Buffer | Readable {
  // The head of the answer has said 200: only a broken connection tells the client that something is missing.
  if (raw instanceof Readable) return raw.once('error', () => res.destroy());
  return typeof raw === 'string' ? raw : Buffer.from(raw);
}

/** Seconds until a caller should repeat what got 503: most of what is away is back by then. */
export const RETRY_AFTER_SECONDS = 5;

export function sendError(exchange: Exchange, error: AppError): void {
  const { req: { headers }, state: { route, verdict } } = exchange;
  exchange.status = ERROR_STATUS[error.code];
  if (exchange.status === 503) exchange.set('Retry-After', String(RETRY_AFTER_SECONDS));
  const page = route?.errorPage?.(error, { languages: headers['accept-language'], query: exchange.querystring });
  const ofRequests = error.code === 'RATE_LIMIT_EXCEEDED' ? verdict?.retryAfter : undefined;
  const retryAfter = error.retryAfterSeconds ?? ofRequests;
  if (retryAfter !== undefined) exchange.set('Retry-After', String(retryAfter));
  if (page === undefined) return sendJson(exchange, errorBody(error, retryAfter));
  exchange.type = HTML_CONTENT;
  exchange.body = page.html;
  exchange.set(page.headers);
}

/** The body of a failure. Empty details are left out; `retryAfter` is in seconds. */
export function errorBody({ code, message, details = {} }: AppError, retryAfter?: number) {
  const hasDetails = Object.keys(details).length > 0;
  return { success: false, error: { code, message, details: hasDetails ? details : undefined, retryAfter } };
}

/** Answers a request that no route matched. `methods` are those that its path has, if any. */
export function sendUnmatched(exchange: Exchange, methods: readonly string[]): void {
  if (methods.length === 0) {
    exchange.status = 404;
    // The API documents this one body outside the envelope.
    return sendJson(exchange, { error: 'Not Found', path: exchange.path.slice(0, LONGEST_ECHO) });
  }
  exchange.set('Allow', [...new Set([...methods, 'OPTIONS'])].sort().join(', '));
  if (exchange.method !== 'OPTIONS') {
    return sendError(exchange, new AppError('METHOD_NOT_ALLOWED', 'This path does not support that method'));
  }
  exchange.status = 204;
}

function sendJson(exchange: Exchange, body: unknown): void {
  exchange.body = JSON.stringify(body);
  exchange.type = JSON_CONTENT;
}
