import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';
import { BodyParts } from './body-parts.ts';
import { parseStrictJson } from './strict-json.ts';

/** How a body is written. `form`: by an HTML form, every field a string. `document`: see DocumentReader. */
export type BodyFormat = 'json' | 'form' | 'json-or-form' | 'document';

const MAX_BODY_BYTES = 1024 * 1024;

/** A refused body is still read up to this size, so that its sender can read the answer. */
export const MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES;

/** Of each interval until a body is complete; a slower one is refused. */
const MIN_BYTES = 40_960;
const PACE_INTERVAL_MS = 5000;

export const JSON_TYPE = typeInUtf8('application/json');

const FORM_TYPE = typeInUtf8('application/x-www-form-urlencoded');
const MAX_FORM_FIELDS = 100;

/**
 * The parsed body; undefined when there is none. Throws INVALID_INPUT for another content type, BAD_REQUEST
 * above 1 MB or below 8 kB/s, JSON_PARSE_ERROR for anything but strict JSON in UTF-8. Not @koa/bodyparser,
 * which replaces invalid bytes and obeys the charset and encoding that the sender names.
 */
export async function readBody(
  request: IncomingMessage, format: Exclude<BodyFormat, 'document'>, clock: Clock,
): Promise<unknown> {
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

/** Matches a Content-Type of a media type, which is a pattern, in UTF-8. Takes linear time. */
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

/** Receives the whole body, of at most `largest` bytes. Throws BAD_REQUEST for a larger or slower one. */
export async function receiveBytes(
  request: IncomingMessage, clock: Clock, parts: BodyParts, maxBytes = MAX_BODY_BYTES,
): Promise<void> {
  const limit = `${maxBytes / MAX_BODY_BYTES} MB`;
  const tooLarge = () => new AppError('BAD_REQUEST', `Request body is larger than ${limit}`);
  const maxReadBytes = Math.max(MAX_DISCARDED_BYTES, maxBytes);
  if (Number(request.headers['content-length'] ?? 0) > maxReadBytes) throw tooLarge();
  let [size, sizeBefore] = [0, 0];
  const pace = clock.setRepeating(PACE_INTERVAL_MS, () => {
    if (size - sizeBefore < MIN_BYTES) parts.refuse(new AppError('BAD_REQUEST', 'Request body arrives too slowly'));
    sizeBefore = size;
  });
  try {
    // By default an early end would cut the connection before the answer is out.
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

/** Throws INVALID_INPUT for a compressed body, JSON_PARSE_ERROR for bytes that are not UTF-8. */
export function decode(request: IncomingMessage, bytes: Buffer): string {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new AppError('INVALID_INPUT', 'Content-Encoding is not supported');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AppError('JSON_PARSE_ERROR', 'Request body is not UTF-8');
  }
}
