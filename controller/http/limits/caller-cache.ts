import { hashSecret } from '../../../shared/ids.ts';

const MAX_CALLERS = 10_000;

/**
 * Whom credentials belonged to when they were last looked up, so that a request can be counted before it
 * costs a query. It decides about the rate limit only. Beyond 10,000, forgets the one unused for longest.
 */
export class CallerCache {
  /** What the rate limit counts, by the hash of the credential. */
  readonly #keys = new Map<string, string>();

  /** What requests with `credential` count under; null if it is unknown. */
  keyOf(credential: string): string | null {
    return this.#keys.get(hashSecret(credential)) ?? null;
  }

  remember(credential: string, key: string): void {
    const hash = hashSecret(credential);
    this.#keys.delete(hash);
    this.#keys.set(hash, key);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > MAX_CALLERS && oldest !== undefined) this.#keys.delete(oldest);
  }

  /** The credential is no longer valid. */
  forget(credential: string): void {
    this.#keys.delete(hashSecret(credential));
  }
}
