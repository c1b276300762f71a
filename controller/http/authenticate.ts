import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../shared/errors.ts';
import type { CredentialReader, Identity } from './access.ts';

/**
 * Who sent the request, by its headers; null when neither header is there. Bearer wins over a key, and a bad token
 * does not fall back to a good key. Throws MISSING_API_KEY for an empty key, else what the reader throws.
 */
export async function authenticate(reader: CredentialReader, headers: IncomingHttpHeaders, now: number): Promise<Identity | null> {
  const token = bearerToken(headers.authorization);
  if (token !== null) return reader.readSession(token, now);
  const key = headers['x-api-key'];
  if (key === undefined) return null;
  const text = (typeof key === 'string' ? key : key.join(',')).trim();
  if (text === '') throw new AppError('MISSING_API_KEY', 'X-API-Key is empty');
  return reader.readKey(text, now);
}

/** Null when the header is absent or of another scheme. */
function bearerToken(header: string | undefined): string | null {
  const match = /^bearer(?:\s+(.*))?$/is.exec(header?.trim() ?? '');
  return match === null ? null : (match[1] ?? '').trim();
}
