import { createHmac, timingSafeEqual } from 'node:crypto';

/** Longer ones cannot be ours. */
const LONGEST_TOKEN = 1000;

/**
 * Tokens that consist of a claim and its HMAC-SHA256. They need no storage, and work as long as one of the
 * keys is there.
 */
export class SignedClaims {
  readonly #keys: readonly Uint8Array[];

  /** 256-bit keys of this purpose alone: the first one signs, all of them verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  issue(text: string): string {
    const claim = Buffer.from(text).toString('base64url');
    return `${claim}.${signatureOf(claim, this.#keys[0] as Uint8Array).toString('base64url')}`;
  }

  /** The text of the claim; null for a token that is not ours. */
  read(token: string): string | null {
    if (token.length > LONGEST_TOKEN) return null;
    const [claim = '', signature = '', ...rest] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    const isOurs = (key: Uint8Array) => {
      const own = signatureOf(claim, key);
      return own.length === given.length && timingSafeEqual(own, given);
    };
    if (rest.length > 0 || !this.#keys.some(isOurs)) return null;
    return Buffer.from(claim, 'base64url').toString();
  }
}

function signatureOf(claim: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(claim).digest();
}
