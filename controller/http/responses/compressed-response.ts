import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { headerLines, type ResponseText } from './response-text.ts';

type Encoding = 'identity' | 'gzip' | 'br';

/** The response to one request. */
export interface EncodedResponse {
  status: 200 | 304;
  headers: Record<string, string>;
  /** Empty for 304. */
  body: Buffer | Readable;
}

/** A response that many requests share. */
export interface SharedResponse extends EncodedResponse {
  body: Buffer;
  /** Built for the first request that needs it. */
  readonly text: ResponseText;
}

/** A response in the encoding that the client accepts. */
export interface Compressed {
  negotiate(request: IncomingHttpHeaders): Promise<EncodedResponse>;
}

/** One encoding, as a full response and as 304. */
interface Representation {
  etag: string;
  full: SharedResponse;
  notModified: SharedResponse;
}

/** Body size. Compressing a smaller body saves less than it costs. */
const MIN_COMPRESSED_BYTES = 1024;
/** Takes twice the time of gzip and saves another sixth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const MAX_CACHED_ENCODINGS = 50;
const EMPTY_BODY = Buffer.alloc(0);

/**
 * A response that many clients get byte for byte, in an encoding that each accepts, or as 304 for a current
 * copy. Each encoding is built once, for the first request that needs it.
 */
export class CompressedResponse implements Compressed {
  readonly #body: Buffer;
  readonly #headers: Record<string, string>;
  readonly #tag: string;
  readonly #representations = new Map<Encoding, Representation>();
  /** Encodings by Accept-Encoding header: browsers send only a few different ones. */
  readonly #encodings = new Map<string | string[] | undefined, Encoding>();
  readonly #pending = new Map<Encoding, Promise<Representation>>();

  /** `headers` excludes those of the encoding. */
  constructor(body: string | Buffer, headers: Record<string, string>) {
    this.#body = typeof body === 'string' ? Buffer.from(body) : body;
    const vary = headers['Vary'] === undefined ? 'Accept-Encoding' : `${headers['Vary']}, Accept-Encoding`;
    this.#headers = { ...headers, Vary: vary };
    // The ETag covers the headers: a client with outdated ones must not get 304.
    const digest = createHash('sha256').update(JSON.stringify(headers)).update(this.#body);
    this.#tag = digest.digest('base64url').slice(0, 22);
    if (this.#body.length < MIN_COMPRESSED_BYTES) this.#store('identity', this.#body);
  }

  /** Estimated memory in bytes; each encoding takes a quarter of the body, once as bytes and once as text. */
  get memoryBytes(): number {
    return this.#body.length * 2;
  }

  /** Null until the encoding for this client is built. */
  negotiateSync(request: IncomingHttpHeaders): SharedResponse | null {
    const representation = this.#representations.get(this.#encodingFor(request));
    return representation === undefined ? null : selectByTag(representation, request);
  }

  async negotiate(request: IncomingHttpHeaders): Promise<SharedResponse> {
    const encoding = this.#encodingFor(request);
    const pending = this.#pending.get(encoding) ?? this.#encode(encoding);
    this.#pending.set(encoding, pending);
    return selectByTag(await pending, request);
  }

  #encodingFor({ 'accept-encoding': accepted }: IncomingHttpHeaders): Encoding {
    if (this.#body.length < MIN_COMPRESSED_BYTES) return 'identity';
    const cached = this.#encodings.get(accepted);
    if (cached !== undefined) return cached;
    const preferred = preferredEncoding(accepted);
    if (this.#encodings.size < MAX_CACHED_ENCODINGS) this.#encodings.set(accepted, preferred);
    return preferred;
  }

  async #encode(encoding: Encoding): Promise<Representation> {
    if (encoding === 'identity') return this.#store(encoding, this.#body);
    const compressed = encoding === 'br'
      ? promisify(brotliCompress)(this.#body, BROTLI) : promisify(gzip)(this.#body);
    return this.#store(encoding, await compressed);
  }

  #store(encoding: Encoding, body: Buffer): Representation {
    const isPlain = encoding === 'identity';
    const etag = isPlain ? `"${this.#tag}"` : `"${this.#tag}-${encoding}"`;
    const commonHeaders = { ...this.#headers, ETag: etag };
    const encodingHeaders: Record<string, string> = isPlain ? {} : { 'Content-Encoding': encoding };
    const full = sharedResponse(200, { ...commonHeaders, ...encodingHeaders, 'Content-Length': String(body.length) }, body);
    const notModified = sharedResponse(304, commonHeaders, EMPTY_BODY);
    const representation: Representation = { etag, full, notModified };
    this.#representations.set(encoding, representation);
    return representation;
  }
}

function sharedResponse(status: 200 | 304, headers: Record<string, string>, body: Buffer): SharedResponse {
  let text: ResponseText | null = null;
  return {
    status, headers, body,
    get text() {
      return text ??= { headers: headerLines(headers), body: body.toString('latin1') };
    },
  };
}

/** The smallest encoding that the Accept-Encoding header allows. */
export function preferredEncoding(accepted: string | string[] | undefined): Encoding {
  return acceptsEncoding(accepted, 'br') ? 'br' : acceptsEncoding(accepted, 'gzip') ? 'gzip' : 'identity';
}

/** Whether the Accept-Encoding header allows the encoding by name. */
export function acceptsEncoding(accepted: string | string[] = '', name: Encoding): boolean {
  const names = String(accepted).toLowerCase().split(',').map((part) => part.trim());
  return names.some((part) => part === name || (part.startsWith(`${name};`) && !/;\s*q=0(?:\.0*)?$/.test(part)));
}

function selectByTag({ etag, full, notModified }: Representation, { 'if-none-match': tags }: IncomingHttpHeaders): SharedResponse {
  return tags !== undefined && matchesTag(tags, etag) ? notModified : full;
}

/** Ignores the weak prefix, which compressing proxies add to the ETag and clients send back. */
export function matchesTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
