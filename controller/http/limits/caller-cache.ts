import { hashSecret } from '../../../shared/ids.ts';

const MAX_CALLERS = 10_000;

/**
 * Caches the owners of credentials, so that a request can be counted before it costs a query. Used for the
 * rate limit only. Holds 10,000 entries and evicts the least recently used.
 */
export class CallerCache {
  /** Rate-limit keys by hash of the credential. */
  readonly #keys = new Map<string, string>();

  /** The rate-limit key of `credential`; null if it isn't cached. */
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

  /** Called when the credential is no longer valid. */
  forget(credential: string): void {
    this.#keys.delete(hashSecret(credential));
  }
}
