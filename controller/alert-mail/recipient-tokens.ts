import { SignedToken } from '../../shared/signed-token.ts';

/** A mail address that an organization sends alerts to. */
export interface Recipient {
  organizationId: string;
  /** As it is in the destination. */
  address: string;
}

/** Tokens by which the owner of an address speaks for it. */
export class RecipientTokens {
  readonly #signedToken: SignedToken;

  /** 256-bit keys: the first one signs, all of them verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#signedToken = new SignedToken(keys);
  }

  issue({ organizationId, address }: Recipient): string {
    return this.#signedToken.issue(`${organizationId} ${address}`);
  }

  /** Null for a token that is not ours. */
  read(token: string): Recipient | null {
    const payload = this.#signedToken.read(token);
    if (payload === null) return null;
    const [organizationId = '', address = ''] = payload.split(' ');
    return { organizationId, address };
  }
}
