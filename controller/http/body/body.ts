import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../shared/errors.ts';
import { parseStrictJson } from './strict-json.ts';

/** How a body is written. `form`: by an HTML form, every field a string. `document`: see DocumentReader. */
export type BodyFormat = 'json' | 'form' | 'json-or-form' | 'document';

const LARGEST_BODY = 1024 * 1024;

/** A refused body is still read up to this size, so that its sender can read the answer. */
export const LARGEST_DISCARDED = 8 * LARGEST_BODY;

export const JSON_TYPE = typeInUtf8('application/json');

const FORM_TYPE = typeInUtf8('application/x-www-form-urlencoded');
const MOST_FORM_FIELDS = 100;

/**
 * The parsed body; undefined when there is none. Throws INVALID_INPUT for another content type, BAD_REQUEST
 * above 1 MB, JSON_PARSE_ERROR for anything but strict JSON in UTF-8. Not @koa/bodyparser, which replaces
 * invalid bytes and obeys the charset and encoding that the sender names.
 */
export async function readBody(
  request: IncomingMessage, format: Exclude<BodyFormat, 'document'>,
): Promise<unknown> {
  const isForm = format === 'form' || (format === 'json-or-form' && FORM_TYPE.test(typeOf(request)));
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  if (!(isForm ? FORM_TYPE : JSON_TYPE).test(typeOf(request))) {
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

export function typeOf(request: IncomingMessage): string {
  return request.headers['content-type'] ?? '';
}

function parseForm(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name) || fields.size >= MOST_FORM_FIELDS || value.includes('\0')) {
      throw new AppError('INVALID_INPUT', 'The form is not one of ours');
    }
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** The whole body, of at most `largest` bytes. Throws BAD_REQUEST for a larger one. */
export async function readBytes(request: IncomingMessage, largest = LARGEST_BODY): Promise<Buffer> {
  const limit = `${largest / LARGEST_BODY} MB`;
  const tooLarge = () => new AppError('BAD_REQUEST', `Request body is larger than ${limit}`);
  const longestRead = Math.max(LARGEST_DISCARDED, largest);
  if (Number(request.headers['content-length'] ?? 0) > longestRead) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // By default an early end would cut the connection before the answer is out.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestRead) break;
    if (size <= largest) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > largest) throw tooLarge();
  return Buffer.concat(chunks);
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
