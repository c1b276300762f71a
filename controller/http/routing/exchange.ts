import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { isIP, isIPv6 } from 'node:net';
import type { ParameterizedContext } from 'koa';
import { AppError } from '../../errors/app-error.ts';
import type { RateDecision } from '../limits/rate-limit.ts';
import { acceptUpgrade } from '../responses/web-sockets.ts';
import type { Route, RouteResponse } from './route.ts';
import { ipv6Groups } from '../../../shared/net-guard.ts';

/** The client's address: the peer, or the X-Forwarded-For entry that our outermost trusted proxy added. */
export function clientAddress(
  peer: string | undefined, forwardedFor: string | string[] | undefined, trustedProxies: number,
): string {
  const own = plainAddress(peer ?? '');
  if (trustedProxies === 0 || forwardedFor === undefined) return own;
  const hops = String(forwardedFor).split(',').map((hop) => plainAddress(hop.trim()));
  const hop = hops[Math.max(0, hops.length - trustedProxies)];
  return hop !== undefined && isIP(hop) !== 0 ? hop : own;
}

/** The rate-limit key: an IPv4 address, or the /64 of an IPv6 address, which one customer usually has. */
export function addressBucket(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = ipv6Groups(address).slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** Strips brackets and port, and converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(address: string): string {
  const bare = address.startsWith('[') ? address.slice(1).replace(/\].*$/, '') : address;
  return /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(bare)?.[1] ?? bare;
}

export interface ExchangeState {
  requestId: string;
  /** Rate-limit key while the caller is unknown. */
  addressKey: string;
  clientAddress: string;
  rateDecision: RateDecision | null;
  /** Null until a route has matched. */
  route: Route | null;
}

export type Exchange = ParameterizedContext<ExchangeState>;

export const JSON_CONTENT = 'application/json; charset=utf-8';
export const HTML_CONTENT = 'text/html; charset=utf-8';

/** Sent with every response. Without Access-Control-Allow-Origin, no other origin can read it. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Longest path that an error response repeats. */
const MAX_ECHOED_PATH_LENGTH = 256;
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export function beginExchange(request: IncomingMessage, trustedProxies: number): ExchangeState {
  const address = clientAddressOf(request, trustedProxies);
  const addressKeys = { addressKey: addressKey(address), clientAddress: address };
  return { requestId: requestIdOf(request), ...addressKeys, rateDecision: null, route: null };
}

/** The caller's own request id if headers and logs can safely repeat it. */
export function requestIdOf(
  { headers: { 'x-request-id': clientId } }: IncomingMessage, newId: () => string = randomUUID,
): string {
  return typeof clientId === 'string' && SAFE_ID.test(clientId) ? clientId : newId();
}

export function addressKeyOf(request: IncomingMessage, trustedProxies: number): string {
  return addressKey(clientAddressOf(request, trustedProxies));
}

export function clientAddressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  return clientAddress(socket.remoteAddress, headers['x-forwarded-for'], trustedProxies);
}

export function addressKey(address: string): string {
  return `ip:${addressBucket(address)}`;
}

/** By request: the path below which its response must link. Requests that aren't here link from the root. */
const basePaths = new WeakMap<IncomingMessage, string>();

/**
 * Makes the response link below `basePath`, and removes it from the URL unless a proxy has already done so.
 * Empty: everything is served at the root.
 */
export function enterBasePath(request: IncomingMessage, basePath: string): void {
  if (basePath === '') return;
  basePaths.set(request, basePath);
  const { url = '' } = request;
  const rest = url.slice(basePath.length);
  if (url.startsWith(basePath) && /^(?:[/?]|$)/.test(rest)) request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** What links to this installation begin with in the response to `request`. */
export function basePathOf(request: IncomingMessage): string {
  return basePaths.get(request) ?? '';
}

/** Makes root-relative links of a page begin with `basePath`. Text can't match: its quotes are escaped. */
export function linkBelow(page: string, basePath = ''): string {
  return basePath === '' ? page : page.replace(/="\/(?!\/)/g, `="${basePath}/`);
}

/** Sends a handler's response. Throws if the route doesn't declare its status. */
export async function sendResponse(exchange: Exchange, route: Route, response: RouteResponse): Promise<void> {
  const declared = route.responses[response.status];
  if (declared === undefined) throw undeclared(route, response.status);
  if (response.compressed !== undefined) {
    const { status, headers, body } = await response.compressed.negotiate(exchange.req.headers);
    if (status === 304 && route.isRevalidated !== true) throw undeclared(route, status);
    // The response has all of its headers, and embeddable ones omit this one.
    exchange.remove('X-Frame-Options');
    const opened = typeof body === 'function' ? await openBody(exchange, body) : body;
    exchange.body = rawBody(exchange, opened);
    exchange.set(headers);
    exchange.status = status;
    return;
  }
  exchange.status = response.status;
  if (response.webSocket !== undefined) {
    exchange.respond = false;
    return acceptUpgrade(exchange.req, response.webSocket);
  }
  if (response.stream !== undefined && 'isStream' in declared) {
    exchange.body = response.stream;
    exchange.type = declared.contentType;
  } else if ('contentType' in declared && (declared.data === undefined || response.raw !== undefined)) {
    exchange.type = declared.contentType;
    exchange.body = rawBody(exchange, response.raw);
  } else sendJson(exchange, { success: true, data: response.data });
  if (response.headers !== undefined) exchange.set(response.headers);
}

function undeclared({ method, path }: Route, status: number): Error {
  return new Error(`${method} ${path} responded with ${status}, which it does not declare`);
}

async function openBody({ method }: Exchange, open: () => Promise<Readable>): Promise<Readable> {
  return method === 'HEAD' ? Readable.from([]) : open();
}

function rawBody({ res }: Exchange, raw: RouteResponse['raw'] = ''): string | Buffer | Readable {
  // The status 200 is already sent: only a broken connection tells the client that data is missing.
  if (raw instanceof Readable) return raw.once('error', () => res.destroy());
  return typeof raw === 'string' || Buffer.isBuffer(raw) ? raw : Buffer.from(raw);
}

/** Retry-After of a 503, in seconds: most outages are over by then. */
export const RETRY_AFTER_SECONDS = 5;

export function sendError(exchange: Exchange, error: AppError): void {
  const { req: { headers }, state: { route, rateDecision } } = exchange;
  exchange.status = error.status;
  if (exchange.status === 503) exchange.set('Retry-After', String(RETRY_AFTER_SECONDS));
  const page = route?.errorPage?.(error, { languages: headers['accept-language'], query: exchange.querystring });
  const windowRetryAfter = error.code === 'RATE_LIMIT_EXCEEDED' ? rateDecision?.retryAfter : undefined;
  const retryAfter = error.retryAfterSeconds ?? windowRetryAfter;
  if (retryAfter !== undefined) exchange.set('Retry-After', String(retryAfter));
  if (page === undefined) return sendJson(exchange, errorBody(error, retryAfter));
  exchange.type = HTML_CONTENT;
  exchange.body = page.html;
  exchange.set(page.headers);
}

/** The body of an error. Omits empty details; `retryAfter` is in seconds. */
export function errorBody({ code, message, details = {} }: AppError, retryAfter?: number) {
  const hasDetails = Object.keys(details).length > 0;
  return { success: false, error: { code, message, details: hasDetails ? details : undefined, retryAfter } };
}

/** Responds to a request that no route matched. `methods` are those that its path supports, if any. */
export function sendUnmatched(exchange: Exchange, methods: readonly string[]): void {
  if (methods.length === 0) {
    exchange.status = 404;
    // The API documents this one body outside the envelope.
    return sendJson(exchange, { error: 'Not Found', path: exchange.path.slice(0, MAX_ECHOED_PATH_LENGTH) });
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
