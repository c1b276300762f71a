import { SignedToken } from '../../shared/signed-token.ts';
import type { Language } from '../status-pages/public/languages/language.ts';
import type { SubscriberDoc } from './subscriber.ts';

type LinkHolder = Pick<SubscriberDoc, '_id' | 'language'>;

/** The addresses of the pages that mails to subscribers lead to. */
export class SubscriberLinks {
  readonly #tokens: SignedToken;
  readonly #baseUrl: () => string;

  /** 256-bit keys: the first one signs, all of them verify. `baseUrl` has no slash at its end. */
  constructor(keys: readonly Uint8Array[], baseUrl: () => string) {
    this.#tokens = new SignedToken(keys);
    this.#baseUrl = baseUrl;
  }

  page(subdomain: string): string {
    return `${this.#baseUrl()}/status/${subdomain}`;
  }

  /** `token` is of one mail, and stored only as its hash. */
  verify(subdomain: string, token: string, language: Language | null): string {
    return `${this.page(subdomain)}/verify?token=${token}${inLanguage(language)}`;
  }

  unsubscribe(subdomain: string, subscriber: LinkHolder): string {
    return this.#ownPage(subdomain, 'unsubscribe', subscriber);
  }

  preferences(subdomain: string, subscriber: LinkHolder): string {
    return this.#ownPage(subdomain, 'preferences', subscriber);
  }

  /** Every mail has it, so it is signed instead of stored; it ends with the subscriber's document. */
  tokenOf(subscriberId: string): string {
    return this.#tokens.issue(subscriberId);
  }

  /** The id of the subscriber; null for a token that is not ours. */
  read(token: string): string | null {
    return this.#tokens.read(token);
  }
  #ownPage(subdomain: string, page: string, { _id, language }: LinkHolder): string {
    return `${this.page(subdomain)}/${page}?token=${this.tokenOf(_id)}${inLanguage(language)}`;
  }
}

/** Where nothing is known of the reader's language, the browser decides. */
function inLanguage(language: Language | null): string {
  return language === null ? '' : `&lang=${language}`;
}
