import { newSecret } from './ids.ts';
import type { Clock } from './time.ts';

/** Says who does a piece of work that any controller could do, so that nobody else does. */
export interface WorkClaim {
  /** Of this attempt. */
  token: string;
  /** The controller, as in its leases: the same after a restart. */
  holder: string;
  /** From one start of that controller to the next. */
  life: string;
}

interface WorkClaimsDeps {
  clock: Clock;
  /** This controller. */
  holder: string;
  /** More than an attempt takes, with the time to record its outcome. */
  ttlMs: number;
}

/** Claims remembered; one that is forgotten and met again has its whole time again. */
const MAX_TRACKED_CLAIMS = 10_000;
/** Claims that one look leaves out; beyond it, work of others may fill the look. */
const MAX_HELD_TOKENS = 1000;

/**
 * Judges which claims on one kind of work nobody works under any more. An earlier life of this controller has
 * ended with its claims. All others last from when they were first met, by the time that passes here: what
 * the clocks of other controllers say is never compared with ours.
 */
export class WorkClaims {
  readonly #deps: WorkClaimsDeps;
  readonly #life = newSecret();
  /** By token, when it was first met, monotonic ms; in that order. */
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
   * Does the work that `take` claims, and records its outcome; null if somebody else was first. When one of
   * them throws, the claim may be stored, and so lasts.
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

  /** How long a claim lasts from now, ms; 0 if it may be taken over. */
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

  /** Whether work with this claim, or with none, may be begun. */
  isFree(claim: WorkClaim | null | undefined): boolean {
    return !claim || this.remainingMs(claim) === 0;
  }

  /** The tokens of known claims that last: a look for work leaves theirs out, so that it finds other work. */
  get heldTokens(): string[] {
    const { clock, ttlMs } = this.#deps;
    const since = clock.monotonic() - ttlMs;
    return [...this.#firstSeenAtMs]
      .filter(([, firstSeenAtMs]) => firstSeenAtMs > since)
      .map(([token]) => token)
      .slice(-MAX_HELD_TOKENS);
  }
}
