import { newSecret } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';

/** Reserves a piece of work for one controller, so that no other does it too. */
export interface WorkClaim {
  /** Unique per attempt. */
  token: string;
  /** The controller's id as in its leases; the same after a restart. */
  holder: string;
  /** Changes with each start of the controller. */
  life: string;
}

interface WorkClaimsDeps {
  clock: Clock;
  /** This controller's id. */
  holder: string;
  /** Longer than an attempt takes, including the time to record its outcome. */
  ttlMs: number;
}

/** Maximum tracked claims; one that is evicted and seen again gets its full time again. */
const MAX_TRACKED_CLAIMS = 10_000;
/** Maximum claims excluded from one scan; beyond it, other controllers' work may fill the scan. */
const MAX_HELD_TOKENS = 1000;

/**
 * Decides which claims have expired. Claims of this controller's earlier runs have. All others last `ttlMs`
 * from when this controller first saw them, by its own monotonic clock: clocks are never compared between
 * controllers.
 */
export class WorkClaims {
  readonly #deps: WorkClaimsDeps;
  readonly #life = newSecret();
  /** By token, when it was first seen, monotonic ms; in that order. */
  readonly #firstSeenAtMs = new Map<string, number>();

  constructor(deps: WorkClaimsDeps) {
    this.#deps = deps;
  }

  create(): WorkClaim {
    const claim = { token: newSecret(), holder: this.#deps.holder, life: this.#life };
    this.remainingMs(claim);
    return claim;
  }

  /**
   * Does the work that `acquire` claims and records its outcome; null if another controller was first. If
   * either throws, the claim may be stored, so it stays valid until it expires.
   */
  async runClaimed<T, R>(
    acquire: (claim: WorkClaim) => Promise<T | null>, work: (acquired: T) => Promise<R>,
  ): Promise<R | null> {
    const claim = this.create();
    const acquired = await acquire(claim);
    const outcome = acquired === null ? null : await work(acquired);
    this.#firstSeenAtMs.delete(claim.token);
    return outcome;
  }

  /** Time until the claim expires, ms; 0 if it can be taken over. */
  remainingMs({ token, holder, life }: WorkClaim): number {
    const { clock, ttlMs } = this.#deps;
    if (holder === this.#deps.holder && life !== this.#life) return 0;
    const now = clock.monotonic();
    const firstSeenAtMs = this.#firstSeenAtMs.get(token) ?? now;
    this.#firstSeenAtMs.set(token, firstSeenAtMs);
    if (this.#firstSeenAtMs.size > MAX_TRACKED_CLAIMS) {
      this.#firstSeenAtMs.delete(this.#firstSeenAtMs.keys().next().value as string);
    }
    return Math.max(0, firstSeenAtMs + ttlMs - now);
  }

  /** Whether work with this claim, or without one, can be started. */
  isFree(claim: WorkClaim | null | undefined): boolean {
    return !claim || this.remainingMs(claim) === 0;
  }

  /** Tokens of unexpired claims; scans exclude them to find other work. */
  get heldTokens(): string[] {
    const { clock, ttlMs } = this.#deps;
    const since = clock.monotonic() - ttlMs;
    return [...this.#firstSeenAtMs]
      .filter(([, firstSeenAtMs]) => firstSeenAtMs > since)
      .map(([token]) => token)
      .slice(-MAX_HELD_TOKENS);
  }
}
