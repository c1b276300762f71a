import type { IncomingMessage } from 'node:http';
import { AppError } from '../../shared/errors.ts';
import { parseStrictJson } from './strict-json.ts';

export const LARGEST_BODY = 1024 * 1024;

/** A body up to this size is read to its end even when it is refused, so that its sender can read the answer. */
export const LARGEST_DISCARDED = 8 * LARGEST_BODY;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/**
 * The parsed JSON body; undefined when there is none. Throws INVALID_INPUT for another content type, BAD_REQUEST above
 * 1 MB, JSON_PARSE_ERROR for what is not strict JSON in UTF-8. Written here because @koa/bodyparser decodes leniently:
 * it replaces bytes that are no UTF-8, and obeys the charset and encoding that the sender names.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) throw new AppError('INVALID_INPUT', 'Content-Type must be application/json');
  if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity') {
    throw new AppError('INVALID_INPUT', 'Content-Encoding is not supported');
  }
  return parseStrictJson(decode(bytes));
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > LARGEST_DISCARDED) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // Without destroyOnReturn an early end would cut the connection before the answer is out.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_DISCARDED) break;
    if (size <= LARGEST_BODY) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > LARGEST_BODY) throw tooLarge();
  return Buffer.concat(chunks);
}

function tooLarge(): AppError {
  return new AppError('BAD_REQUEST', 'Request body is larger than 1 MB');
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AppError('JSON_PARSE_ERROR', 'Request body is not UTF-8');
  }
}
