import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request as sendRequest, type Dispatcher } from 'undici';
import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../../controller/errors/app-error.ts';
import { errorsOf, statusesOf } from '../../controller/http/reference/failures.ts';
import { HTML_CONTENT } from '../../controller/http/routing/exchange.ts';
import type { Route } from '../../controller/http/routing/route.ts';
import { strictSchema } from './strict-schema.ts';

/** Untyped JSON: a value or undefined at any path. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  body: Loose;
  /** `body.data` of a success. */
  data: Loose;
  /** `body.error` of a failure in the envelope. */
  error: Loose;
  code: ErrorCode | undefined;
}

export interface ApiRequest {
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent unchanged in place of `body`. */
  rawBody?: string | Uint8Array;
}

const errorBody = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({
    code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().min(1),
    details: z
      .union([
        z.array(z.strictObject({
          code: z.string(), path: z.array(z.union([z.string(), z.number()])), message: z.string(),
        }))
          .min(1),
        z.record(z.string(), z.unknown()),
      ])
      .optional(),
    retryAfter: z.int().optional(),
  }),
});

const unmatchedBody = z.strictObject({ error: z.string(), path: z.string() });

/**
 * Sends requests and checks every response against its route's declaration: status, code, every field, and
 * the headers common to all responses.
 */
export class ApiClient {
  readonly url: string;
  readonly #routes: readonly Route[];
  readonly #headers: Record<string, string>;

  constructor(url: string, routes: readonly Route[], headers: Record<string, string> = {}) {
    this.url = url;
    this.#routes = routes;
    this.#headers = headers;
  }

  /** A client with other headers on every request; an empty value removes a header. */
  with(headers: Record<string, string>): ApiClient {
    const all = { ...this.#headers, ...headers };
    return new ApiClient(
      this.url, this.#routes, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    );
  }

  get(path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    return this.send('GET', path, request);
  }

  post(path: string, body?: unknown, request: ApiRequest = {}): Promise<ApiResponse> {
    return this.send('POST', path, { ...request, body });
  }

  put(path: string, body?: unknown): Promise<ApiResponse> {
    return this.send('PUT', path, { body });
  }

  patch(path: string, body?: unknown): Promise<ApiResponse> {
    return this.send('PATCH', path, { body });
  }

  delete(path: string): Promise<ApiResponse> {
    return this.send('DELETE', path);
  }

  async send(method: string, path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    const payload =
      request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    // Not `fetch`, which takes twice as long.
    const result = await read(await sendRequest(`${this.url}${path}`, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        accept: '*/*', ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...this.#headers,
        ...request.headers,
      },
      body: payload ?? null,
    }));
    this.#check(method, path, result);
    return result;
  }

  #check(method: string, path: string, response: ApiResponse): void {
    const where = `${method} ${path} -> ${response.status} ${response.text.slice(0, 500)}`;
    try {
      checkHeaders(response);
      if (method === 'HEAD' || method === 'OPTIONS') return;
      const route = this.#routeOf(method, path);
      if (route === null) checkUnmatched(response);
      else if (response.status >= 400) checkError(route, response);
      else checkSuccess(route, response);
    } catch (error) {
      throw new Error(
        `${where}\ndoes not match the declaration: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }

  #routeOf(method: string, path: string): Route | null {
    const segments = (path.split('?')[0] ?? '').replace(/(?<=.)\/$/, '').split('/');
    const matches = this.#routes.filter((route) => {
      const declared = segmentsOf(route);
      return declared.length === segments.length &&
        declared.every((part, at) => part.startsWith(':') || part === segments[at]);
    });
    const parameters = ({ path: declared }: Route): number => declared.split(':').length;
    const [best] = matches.sort((one, other) => parameters(one) - parameters(other));
    return matches.find((route) => route.path === best?.path && route.method === method) ?? null;
  }
}

const declaredSegments = new WeakMap<Route, string[]>();

function segmentsOf(route: Route): string[] {
  const known = declaredSegments.get(route);
  if (known) return known;
  const segments = route.path.split('/');
  declaredSegments.set(route, segments);
  return segments;
}

const DECODERS: Record<string, (bytes: Uint8Array) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

async function read({ statusCode: status, ...response }: Dispatcher.ResponseData): Promise<ApiResponse> {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(response.headers)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  const bytes = await response.body.bytes();
  const decode = bytes.length === 0 ? undefined : DECODERS[headers.get('content-encoding') ?? ''];
  const text = new TextDecoder().decode(decode?.(bytes) ?? bytes);
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  const body: Loose = isJson && text !== '' ? JSON.parse(text) : undefined;
  return { status, headers, text, body, data: body?.data, error: body?.error, code: body?.error?.code };
}

function checkHeaders(response: ApiResponse): void {
  for (const name of [
    'x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset',
    'x-content-type-options', 'content-security-policy',
  ]) {
    if (!response.headers.get(name)) throw new Error(`the header ${name} is missing`);
  }
  if (response.headers.has('access-control-allow-origin')) throw new Error('another origin is allowed');
}

function checkUnmatched(response: ApiResponse): void {
  if (response.status !== 404 && response.status !== 405 && response.status !== 429) {
    throw new Error('no such route is declared');
  }
  if (response.status === 404) unmatchedBody.parse(response.body);
  else if (ERROR_STATUS[errorBody.parse(response.body).error.code] !== response.status) {
    throw new Error(`${response.code} has a different status`);
  }
}

function checkError(route: Route, response: ApiResponse): void {
  if (route.errorPage !== undefined) return checkErrorPage(route, response);
  const { error } = errorBody.parse(response.body);
  if (!statusesOf(route, error.code).includes(response.status)) throw new Error(`${error.code} has a different status`);
  if (!errorsOf(route).includes(error.code)) throw new Error(`${error.code} is not declared`);
  if ((error.retryAfter !== undefined) !== (response.status === 429)) {
    throw new Error('only a 429 has retryAfter');
  }
  if (response.headers.has('retry-after') !== [429, 503].includes(response.status)) {
    throw new Error('429 and 503 must have Retry-After, and no other response may');
  }
}

function checkErrorPage(route: Route, response: ApiResponse): void {
  if (response.headers.get('content-type') !== HTML_CONTENT) {
    throw new Error(`content type is ${response.headers.get('content-type')}`);
  }
  const declared =
    [...Object.keys(route.responses).map(Number), ...errorsOf(route).map((code) => ERROR_STATUS[code])];
  if (!declared.includes(response.status)) throw new Error('the status is not declared');
}

function checkSuccess(route: Route, response: ApiResponse): void {
  const declared = route.responses[response.status];
  if (declared === undefined) throw new Error('the status is not declared');
  const isEnveloped = 'contentType' in declared && declared.data !== undefined && response.body !== undefined;
  if ('contentType' in declared && !isEnveloped) {
    if (response.headers.get('content-type') !== declared.contentType) {
      throw new Error(`content type is ${response.headers.get('content-type')}`);
    }
    return;
  }
  envelopeOf('contentType' in declared ? (declared.data as z.ZodType) : declared).parse(response.body);
}

/** Building a schema costs far more than using it. */
const envelopes = new WeakMap<z.ZodType, z.ZodType>();

function envelopeOf(data: z.ZodType): z.ZodType {
  const known = envelopes.get(data);
  if (known) return known;
  const envelope = z.strictObject({ success: z.literal(true), data: strictSchema(data) });
  envelopes.set(data, envelope);
  return envelope;
}
