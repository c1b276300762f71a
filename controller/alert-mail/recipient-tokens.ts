import { SignedClaims } from '../../shared/signed-claims.ts';

/** A mail address that an organization sends alerts to. */
export interface Recipient {
  organizationId: string;
  /** As it is in the destination. */
  address: string;
}

/** Tokens by which the owner of an address speaks for it. */
export class RecipientTokens {
  readonly #claims: SignedClaims;

  /** 256-bit keys: the first one signs, all of them verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#claims = new SignedClaims(keys);
  }

  issue({ organizationId, address }: Recipient): string {
    return this.#claims.issue(`${organizationId} ${address}`);
  }

  /** Null for a token that is not ours. */
  read(token: string): Recipient | null {
    const claim = this.#claims.read(token);
    if (claim === null) return null;
    const [organizationId = '', address = ''] = claim.split(' ');
    return { organizationId, address };
  }
}
