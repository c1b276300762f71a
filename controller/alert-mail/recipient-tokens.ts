import { createHmac, timingSafeEqual } from 'node:crypto';

/** A mail address that an organization sends alerts to. */
export interface Recipient {
  organizationId: string;
  /** As it is in the destination. */
  address: string;
}

/** Longer ones cannot be ours. */
const LONGEST_TOKEN = 1000;

/**
 * Tokens by which the owner of an address speaks for it: the recipient and its HMAC-SHA256. They need no
 * storage, and work as long as one of the keys is there.
 */
export class RecipientTokens {
  readonly #keys: readonly Uint8Array[];

  /** 256-bit keys: the first one signs, all of them verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  issue({ organizationId, address }: Recipient): string {
    const claim = Buffer.from(`${organizationId} ${address}`).toString('base64url');
    return `${claim}.${signatureOf(claim, this.#keys[0] as Uint8Array).toString('base64url')}`;
  }

  /** Null for a token that is not ours. */
  read(token: string): Recipient | null {
    if (token.length > LONGEST_TOKEN) return null;
    const [claim = '', signature = '', ...rest] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    const isOurs = (key: Uint8Array) => {
      const own = signatureOf(claim, key);
      return own.length === given.length && timingSafeEqual(own, given);
    };
    if (rest.length > 0 || !this.#keys.some(isOurs)) return null;
    const [organizationId = '', address = ''] = Buffer.from(claim, 'base64url').toString().split(' ');
    return { organizationId, address };
  }
}

function signatureOf(claim: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(claim).digest();
}
