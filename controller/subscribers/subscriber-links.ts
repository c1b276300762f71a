import { SignedToken } from '../access/link-tokens.ts';
import type { Language } from '../status-pages/public/languages/language.ts';
import type { SubscriberDoc } from './subscriber.ts';

type LinkHolder = Pick<SubscriberDoc, '_id' | 'language'>;

/** URLs in emails to subscribers. */
export class SubscriberLinks {
  readonly #tokens: SignedToken;
  readonly #baseUrl: () => string;

  /** 256-bit keys: the first one signs, all of them verify. `baseUrl` has no trailing slash. */
  constructor(keys: readonly Uint8Array[], baseUrl: () => string) {
    this.#tokens = new SignedToken(keys);
    this.#baseUrl = baseUrl;
  }

  page(subdomain: string): string {
    return `${this.#baseUrl()}/status/${subdomain}`;
  }

  /** `token` belongs to one mail; only its hash is stored. */
  verify(subdomain: string, token: string, language: Language | null): string {
    return `${this.page(subdomain)}/verify?token=${token}${inLanguage(language)}`;
  }

  unsubscribe(subdomain: string, subscriber: LinkHolder): string {
    return this.#ownPage(subdomain, 'unsubscribe', subscriber);
  }

  preferences(subdomain: string, subscriber: LinkHolder): string {
    return this.#ownPage(subdomain, 'preferences', subscriber);
  }

  /**
   * Every mail contains it, so it is signed instead of stored. It is valid until the subscriber is deleted.
   */
  tokenOf(subscriberId: string): string {
    return this.#tokens.issue(subscriberId);
  }

  /** The subscriber's id; null for an invalid token. */
  read(token: string): string | null {
    return this.#tokens.read(token);
  }
  #ownPage(subdomain: string, page: string, { _id, language }: LinkHolder): string {
    return `${this.page(subdomain)}/${page}?token=${this.tokenOf(_id)}${inLanguage(language)}`;
  }
}

/** Without a known language, the page uses the browser's. */
function inLanguage(language: Language | null): string {
  return language === null ? '' : `&lang=${language}`;
}
