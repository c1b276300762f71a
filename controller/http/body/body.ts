import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../shared/errors.ts';
import { parseStrictJson } from './strict-json.ts';

/** `document`: JSON or YAML, and larger than any other body (see DocumentReader). */
export type BodyFormat = 'json' | 'form' | 'json-or-form' | 'document';

export const LARGEST_BODY = 1024 * 1024;

/** A body up to this size is read to its end even when it is refused, so that its sender can read the answer. */
export const LARGEST_DISCARDED = 8 * LARGEST_BODY;

export const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
const MOST_FORM_FIELDS = 100;

/** The parsed body in one of the formats that its route takes; undefined when there is none. Throws as `readJsonBody` does. */
export async function readBody(request: IncomingMessage, format: Exclude<BodyFormat, 'document'>): Promise<unknown> {
  if (format === 'json' || (format === 'json-or-form' && !FORM_TYPE.test(request.headers['content-type'] ?? ''))) return readJsonBody(request);
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  if (!FORM_TYPE.test(request.headers['content-type'] ?? '')) throw new AppError('INVALID_INPUT', 'Content-Type must be application/x-www-form-urlencoded');
  refuseEncoding(request);
  return parseForm(decode(bytes));
}

/** The fields of a form, each once. Throws INVALID_INPUT for what no form of ours sends. */
function parseForm(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name) || fields.size >= MOST_FORM_FIELDS || value.includes('\0')) throw new AppError('INVALID_INPUT', 'The form is not one of ours');
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/**
 * The parsed JSON body; undefined when there is none. Throws INVALID_INPUT for another content type, BAD_REQUEST above
 * 1 MB, JSON_PARSE_ERROR for what is not strict JSON in UTF-8. Written here because @koa/bodyparser decodes leniently:
 * it replaces bytes that are no UTF-8, and obeys the charset and encoding that the sender names.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) throw new AppError('INVALID_INPUT', 'Content-Type must be application/json');
  refuseEncoding(request);
  return parseStrictJson(decode(bytes));
}

/** Throws INVALID_INPUT. */
export function refuseEncoding(request: IncomingMessage): void {
  if (request.headers['content-encoding'] === undefined || request.headers['content-encoding'] === 'identity') return;
  throw new AppError('INVALID_INPUT', 'Content-Encoding is not supported');
}

/** All of a body of up to `largest` bytes. Throws BAD_REQUEST for a larger one. */
export async function readBytes(request: IncomingMessage, largest = LARGEST_BODY): Promise<Buffer> {
  const longestRead = Math.max(LARGEST_DISCARDED, largest);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > longestRead) throw tooLarge(largest);
  const chunks: Buffer[] = [];
  let size = 0;
  // Without destroyOnReturn an early end would cut the connection before the answer is out.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestRead) break;
    if (size <= largest) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > largest) throw tooLarge(largest);
  return Buffer.concat(chunks);
}

function tooLarge(largest: number): AppError {
  return new AppError('BAD_REQUEST', `Request body is larger than ${largest / LARGEST_BODY} MB`);
}

/** Throws JSON_PARSE_ERROR. */
export function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AppError('JSON_PARSE_ERROR', 'Request body is not UTF-8');
  }
}
