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

/** An email address to which an organization sends alerts. */
export interface Recipient {
  organizationId: string;
  /** Spelled as in the destination. */
  address: string;
}

/** Signed tokens in mailed links. Holding one authorizes changes for the address. */
export class RecipientTokens {
  readonly #signedToken: SignedToken;

  /** As `SignedToken`. */
  constructor(keys: readonly Uint8Array[]) {
    this.#signedToken = new SignedToken(keys);
  }

  issue({ organizationId, address }: Recipient): string {
    return this.#signedToken.issue(`${organizationId} ${address}`);
  }

  /** The page on which the recipient stops the organization's alert mails. */
  link(baseUrl: string, recipient: Recipient): string {
    return `${baseUrl}/stop-alerts?token=${this.issue(recipient)}`;
  }

  /** Null if none of the keys signed the token. */
  read(token: string): Recipient | null {
    const payload = this.#signedToken.read(token);
    if (payload === null) return null;
    const [organizationId = '', address = ''] = payload.split(' ');
    return { organizationId, address };
  }
}

/** The incident of an alert, and who received it. */
interface AlertRecipient {
  incidentId: string;
  destinationId: string;
  /** An email address, or what identifies the receiver on other channels. */
  recipient: string;
}

/** Longer recipients, such as URLs, are left out of the token: the destination identifies them. */
const MAX_RECIPIENT_BYTES = 320;

/** Signed tokens in the links of alerts. Holding one authorizes acknowledging that incident. */
export class AcknowledgeTokens {
  readonly #signedToken: SignedToken;

  /** As `SignedToken`. */
  constructor(keys: readonly Uint8Array[]) {
    this.#signedToken = new SignedToken(keys);
  }

  issue({ incidentId, destinationId, recipient }: AlertRecipient): string {
    const shown = Buffer.byteLength(recipient) > MAX_RECIPIENT_BYTES ? '' : recipient;
    return this.#signedToken.issue(`${incidentId} ${destinationId} ${shown}`);
  }

  /** The page on which a recipient of an alert acknowledges its incident. */
  link(baseUrl: string, recipient: AlertRecipient): string {
    return `${baseUrl}/acknowledge?token=${this.issue(recipient)}`;
  }

  /** Null if none of the keys signed the token. */
  read(token: string): AlertRecipient | null {
    const payload = this.#signedToken.read(token);
    if (payload === null) return null;
    const [incidentId = '', destinationId = '', ...recipient] = payload.split(' ');
    return { incidentId, destinationId, recipient: recipient.join(' ') };
  }
}
