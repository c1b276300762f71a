import { SignedToken } from '../access/signed-token.ts';

/** An email address to which an organization sends alerts. */
export interface Recipient {
  organizationId: string;
  /** Spelled as in the destination. */
  address: string;
}

/** Signed tokens in mailed links. Holding one authorizes changes for the address. */
export class RecipientTokens {
  readonly #signedToken: SignedToken;

  /** `keys` have 256 bits. The first key signs; all keys verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#signedToken = new SignedToken(keys);
  }

  issue({ organizationId, address }: Recipient): string {
    return this.#signedToken.issue(`${organizationId} ${address}`);
  }

  /** Null if none of the keys signed the token. */
  read(token: string): Recipient | null {
    const payload = this.#signedToken.read(token);
    if (payload === null) return null;
    const [organizationId = '', address = ''] = payload.split(' ');
    return { organizationId, address };
  }
}
