import type { Clock } from '../../../shared/time.ts';
import { RateLimiter, rateLimitExceeded, type RateDecision } from '../../http/limits/rate-limit.ts';

/** Shares of RATE_LIMIT per 15 minutes. A single address cannot use up the share of an account. */
const SHARE = {
  /** Registrations, sign-ins and other password operations from one client address. */
  address: 1 / 5,
  /** Wrong passwords for one account. */
  account: 1 / 10,
  /** Wrong passwords for one account from one client address. */
  pair: 1 / 50,
};
/** Floor for each share, however low RATE_LIMIT is. */
const MIN_ATTEMPTS = 10;
/** Evicts the least recently used pair of account and address beyond this number. */
const MAX_TRUSTED_PAIRS = 10_000;

/**
 * Limits password guesses and their cost before the database and scrypt get involved. Guesses from elsewhere
 * cannot lock an account out of addresses from which it has signed in before.
 */
export class PasswordAttempts {
  readonly #addresses: RateLimiter;
  readonly #accounts: RateLimiter;
  readonly #pairs: RateLimiter;
  /** Pairs of address and account with a successful sign-in. */
  readonly #trustedPairs = new Set<string>();
  /** Attempts refused since startup. */
  refused = 0;

  /** `rateLimit`: requests in 15 minutes. */
  constructor(clock: Clock, rateLimit: number) {
    const limiter = (share: number) =>
      new RateLimiter(clock, Math.max(MIN_ATTEMPTS, Math.floor(rateLimit * share)));
    this.#addresses = limiter(SHARE.address);
    this.#accounts = limiter(SHARE.account);
    this.#pairs = limiter(SHARE.pair);
  }

  /** Counts a password operation by a client address. Throws RATE_LIMIT_EXCEEDED. */
  takeAddress(address: string): void {
    this.#require(this.#addresses.take(address));
  }

  /** Counts an attempt on an account; `succeeded` refunds it. Throws RATE_LIMIT_EXCEEDED. */
  takeAccount(address: string, email: string): void {
    const pair = pairOf(address, email);
    this.#require(this.#pairs.take(pair));
    if (!this.#trustedPairs.has(pair)) this.#require(this.#accounts.take(email));
  }

  /** Call when the password was correct. */
  succeeded(address: string, email: string): void {
    const pair = pairOf(address, email);
    this.#pairs.refund(pair);
    if (!this.#trustedPairs.delete(pair)) this.#accounts.refund(email);
    this.#trustedPairs.add(pair);
    const [oldest] = this.#trustedPairs;
    const isFull = this.#trustedPairs.size > MAX_TRUSTED_PAIRS;
    if (isFull && oldest !== undefined) this.#trustedPairs.delete(oldest);
  }

  #require({ isAllowed, retryAfter }: RateDecision): void {
    if (isAllowed) return;
    this.refused += 1;
    throw rateLimitExceeded(retryAfter);
  }
}

function pairOf(address: string, email: string): string {
  return `${address} ${email}`;
}
