import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * Encoding of a body. `form`: an HTML form, where every field is a string. `excerpt`: text of any type, of
 * which the start is kept; null without any. `document` and `file`: see DocumentReader.
 */
export type BodyFormat = 'json' | 'form' | 'json-or-form' | 'excerpt' | WholeBody;
export type WholeBody = 'document' | 'file';

const MAX_BODY_BYTES = 1024 * 1024;

/** A refused body up to this size is still read, so that the client can read the response. */
export const MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES;

/** Minimum bytes per interval until the body is complete. A slower body is refused. */
const MIN_BYTES = 40_960;
const PACE_INTERVAL_MS = 5000;

export const JSON_TYPE = typeInUtf8('application/json');

const FORM_TYPE = typeInUtf8('application/x-www-form-urlencoded');
const MAX_FORM_FIELDS = 100;

/**
 * Returns the parsed body, or undefined without one. Throws INVALID_INPUT for another content type,
 * BAD_REQUEST above 1 MB or below 8 kB/s, JSON_PARSE_ERROR unless it is strict JSON in UTF-8. @koa/bodyparser
 * won't do: it replaces invalid bytes and follows the charset and encoding in the headers.
 */
export async function readBody(
  request: IncomingMessage, format: Exclude<BodyFormat, WholeBody>, clock: Clock,
): Promise<unknown> {
  if (format === 'excerpt') return readExcerpt(request, clock);
  const isForm = format === 'form' || (format === 'json-or-form' && FORM_TYPE.test(contentTypeOf(request)));
  const parts = new BodyParts();
  await receiveBytes(request, clock, parts);
  const bytes = parts.join();
  if (bytes.length === 0) return undefined;
  if (!(isForm ? FORM_TYPE : JSON_TYPE).test(contentTypeOf(request))) {
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    throw new AppError('INVALID_INPUT', `Content-Type must be ${type}`);
  }
  const text = decode(request, bytes);
  return isForm ? parseForm(text) : parseStrictJson(text);
}

/** Bytes of an excerpt. */
export const EXCERPT_BYTES = 10_240;
const MAX_EXCERPT_WAIT_MS = 5000;

/**
 * The start of a body as text, as far as it arrives in time. Never rejects: a body that is too large, too
 * slow or broken off must not void its request.
 */
async function readExcerpt(request: IncomingMessage, clock: Clock): Promise<string | null> {
  const kept: Buffer[] = [];
  let size = 0;
  let stopWaiting: (end: undefined) => void;
  const tooLate = new Promise<undefined>((resolve) => (stopWaiting = resolve));
  const timer = clock.setTimer(MAX_EXCERPT_WAIT_MS, () => stopWaiting(undefined));
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  try {
    while (size <= MAX_DISCARDED_BYTES) {
      const chunk = (await Promise.race([chunks.next(), tooLate]))?.value;
      if (chunk === undefined) break;
      if (size < EXCERPT_BYTES) kept.push(chunk.subarray(0, EXCERPT_BYTES - size));
      size += chunk.length;
    }
  } catch {
    // The client broke off.
  } finally {
    timer.cancel();
  }
  // Drops a character that is cut.
  const text = new TextDecoder().decode(Buffer.concat(kept), { stream: true });
  return text === '' ? null : text;
}

/**
 * Matches a Content-Type header in UTF-8 whose media type matches the pattern `type`. Runs in linear time.
 */
export function typeInUtf8(type: string): RegExp {
  return new RegExp(`^${type}(?:\\s*;\\s*charset\\s*=\\s*"?utf-8"?)?(?:\\s*;)?\\s*$`, 'i');
}

export function contentTypeOf(request: IncomingMessage): string {
  return request.headers['content-type'] ?? '';
}

function parseForm(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name) || fields.size >= MAX_FORM_FIELDS || value.includes('\0')) {
      throw new AppError('INVALID_INPUT', 'The form has duplicate or unexpected fields');
    }
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

interface BodyLimit {
  maxBytes: number;
  /** Of the response to a larger body. */
  status: number;
  hint?: string;
}

/** Reads the whole body. Throws BAD_REQUEST if it is larger than the limit, or too slow. */
export async function receiveBytes(
  request: IncomingMessage, clock: Clock, parts: BodyParts,
  { maxBytes, status, hint = '' }: BodyLimit = { maxBytes: MAX_BODY_BYTES, status: 400 },
): Promise<void> {
  const message = `Request body is larger than ${maxBytes / MAX_BODY_BYTES} MB${hint}`;
  const tooLarge = () => new AppError('BAD_REQUEST', message, { status });
  const maxReadBytes = Math.max(MAX_DISCARDED_BYTES, maxBytes);
  if (Number(request.headers['content-length'] ?? 0) > maxReadBytes) throw tooLarge();
  let [size, sizeBefore] = [0, 0];
  const pace = clock.setRepeating(PACE_INTERVAL_MS, () => {
    if (size - sizeBefore < MIN_BYTES) parts.refuse(new AppError('BAD_REQUEST', 'Request body arrives too slowly'));
    sizeBefore = size;
  });
  try {
    // By default, leaving the loop early would close the connection before the response is sent.
    const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
    for (;;) {
      const { value: chunk } = await Promise.race([chunks.next(), parts.refused]);
      size += chunk?.length ?? 0;
      if (chunk === undefined || size > maxReadBytes) break;
      if (size <= maxBytes) parts.add(chunk);
      else parts.clear();
    }
  } finally {
    pace.cancel();
  }
  if (size > maxBytes) throw tooLarge();
}

/** Throws INVALID_INPUT for a compressed body. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  throw new AppError('INVALID_INPUT', 'Content-Encoding is not supported');
}

/** Throws INVALID_INPUT for a compressed body, JSON_PARSE_ERROR for invalid UTF-8. */
export function decode(request: IncomingMessage, bytes: Buffer): string {
  refuseEncoded(request);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AppError('JSON_PARSE_ERROR', 'Request body is not UTF-8');
  }
}

/** The parts of a request body received so far. */
export class BodyParts {
  #chunks: Buffer[] = [];
  /** Bytes received. */
  size = 0;
  /** Rejects when the body is refused. */
  readonly refused: Promise<never>;
  readonly #onGrow: () => void;
  #reject: (failure: Error) => void = () => undefined;
  #failure: Error | null = null;

  constructor(onGrow: () => void = () => undefined) {
    this.#onGrow = onGrow;
    this.refused = new Promise((_resolve, reject) => (this.#reject = reject));
    // Once the body is complete, nothing awaits this promise: a late rejection must not be unhandled.
    this.refused.catch(() => undefined);
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.size += chunk.length;
    this.#onGrow();
  }

  clear(): void {
    this.#chunks = [];
    this.size = 0;
  }

  /** Returns the whole body. Throws if it was refused. */
  join(): Buffer {
    if (this.#failure !== null) throw this.#failure;
    return Buffer.concat(this.#chunks);
  }

  refuse(failure: Error): void {
    this.#failure = failure;
    this.#reject(failure);
    this.clear();
  }
}
