import { createHmac, timingSafeEqual } from 'node:crypto';

/** Longer tokens are never ours. */
const MAX_TOKEN_LENGTH = 1000;

/**
 * A signed token: a text and its HMAC-SHA256. Needs no storage, and stays valid while one of the keys is
 * configured.
 */
export class SignedToken {
  readonly #keys: readonly Uint8Array[];

  /** 256-bit keys for this purpose only. The first one signs; all of them verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  issue(text: string): string {
    const payload = Buffer.from(text).toString('base64url');
    return `${payload}.${signatureOf(payload, this.#keys[0] as Uint8Array).toString('base64url')}`;
  }

  /** The signed text; null for an invalid token. */
  read(token: string): string | null {
    if (token.length > MAX_TOKEN_LENGTH) return null;
    const [payload = '', signature = '', ...rest] = token.split('.');
    const provided = Buffer.from(signature, 'base64url');
    const isOurs = (key: Uint8Array) => {
      const expected = signatureOf(payload, key);
      return expected.length === provided.length && timingSafeEqual(expected, provided);
    };
    if (rest.length > 0 || !this.#keys.some(isOurs)) return null;
    return Buffer.from(payload, 'base64url').toString();
  }
}

function signatureOf(payload: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(payload).digest();
}
