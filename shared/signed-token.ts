import { createHmac, timingSafeEqual } from 'node:crypto';

/** Longer ones cannot be ours. */
const MAX_TOKEN_LENGTH = 1000;

/**
 * Tokens that consist of a claim and its HMAC-SHA256. They need no storage, and work as long as one of the
 * keys is there.
 */
export class SignedToken {
  readonly #keys: readonly Uint8Array[];

  /** 256-bit keys of this purpose alone: the first one signs, all of them verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  issue(text: string): string {
    const payload = Buffer.from(text).toString('base64url');
    return `${payload}.${signatureOf(payload, this.#keys[0] as Uint8Array).toString('base64url')}`;
  }

  /** The text of the claim; null for a token that is not ours. */
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
