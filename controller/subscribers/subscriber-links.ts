import { SignedClaims } from '../../shared/signed-claims.ts';

/** The addresses of the pages that mails to subscribers lead to. */
export class SubscriberLinks {
  readonly #claims: SignedClaims;
  readonly #baseUrl: () => string;

  /** 256-bit keys: the first one signs, all of them verify. `baseUrl` has no slash at its end. */
  constructor(keys: readonly Uint8Array[], baseUrl: () => string) {
    this.#claims = new SignedClaims(keys);
    this.#baseUrl = baseUrl;
  }

  page(subdomain: string): string {
    return `${this.#baseUrl()}/status/${subdomain}`;
  }

  /** `token` is of one mail, and stored only as its hash. */
  verify(subdomain: string, token: string): string {
    return `${this.page(subdomain)}/verify?token=${token}`;
  }

  unsubscribe(subdomain: string, subscriberId: string): string {
    return `${this.page(subdomain)}/unsubscribe?token=${this.tokenOf(subscriberId)}`;
  }

  preferences(subdomain: string, subscriberId: string): string {
    return `${this.page(subdomain)}/preferences?token=${this.tokenOf(subscriberId)}`;
  }

  /** Every mail has it, so it is signed instead of stored; it ends with the subscriber's document. */
  tokenOf(subscriberId: string): string {
    return this.#claims.issue(subscriberId);
  }

  /** The id of the subscriber; null for a token that is not ours. */
  read(token: string): string | null {
    return this.#claims.read(token);
  }
}
