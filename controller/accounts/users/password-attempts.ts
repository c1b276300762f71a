import type { Clock } from '../../../shared/time.ts';
import { RateLimiter, rateLimitExceeded, type RateDecision } from '../../http/limits/rate-limit.ts';

/** Shares of RATE_LIMIT, in the same 15 minutes. One address alone cannot use up those of an account. */
const SHARE = {
  /** Of one client address: registrations, sign-ins and other work with passwords. */
  address: 1 / 5,
  /** Wrong passwords of one account. */
  account: 1 / 10,
  /** Wrong passwords of one account from one client address. */
  pair: 1 / 50,
};
/** However low RATE_LIMIT is. */
const MIN_ATTEMPTS = 10;
/** Pairs of account and address in memory; beyond that the one unused for longest is forgotten. */
const MAX_TRUSTED_PAIRS = 10_000;

/**
 * Bounds guesses of passwords and the work that they cost, before the database or scrypt is asked. Where an
 * account has signed in before, guesses from elsewhere do not keep it out.
 */
export class PasswordAttempts {
  readonly #addresses: RateLimiter;
  readonly #accounts: RateLimiter;
  readonly #pairs: RateLimiter;
  /** Pairs that have signed in. */
  readonly #trustedPairs = new Set<string>();
  /** Attempts refused since the start. */
  refused = 0;

  /** `rateLimit`: requests in 15 minutes. */
  constructor(clock: Clock, rateLimit: number) {
    const limiter = (share: number) =>
      new RateLimiter(clock, Math.max(MIN_ATTEMPTS, Math.floor(rateLimit * share)));
    this.#addresses = limiter(SHARE.address);
    this.#accounts = limiter(SHARE.account);
    this.#pairs = limiter(SHARE.pair);
  }

  /** Counts work with a password for a client address. Throws RATE_LIMIT_EXCEEDED. */
  takeAddress(address: string): void {
    this.#require(this.#addresses.take(address));
  }

  /** Counts an attempt on an account, which `succeeded` takes back. Throws RATE_LIMIT_EXCEEDED. */
  takeAccount(address: string, email: string): void {
    const pair = pairOf(address, email);
    this.#require(this.#pairs.take(pair));
    if (!this.#trustedPairs.has(pair)) this.#require(this.#accounts.take(email));
  }

  /** The password was right. */
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
