import { newSecret } from './ids.ts';
import type { Clock } from './time.ts';

/** Says who does a piece of work that any controller could do, so that nobody else does. */
export interface Claim {
  /** Of this attempt. */
  token: string;
  /** The controller, as in its leases: the same after a restart. */
  holder: string;
  /** From one start of that controller to the next. */
  life: string;
}

interface ClaimsDeps {
  clock: Clock;
  /** This controller. */
  holder: string;
  /** More than an attempt takes, with the time to record its outcome. */
  lastsMs: number;
}

/** Claims remembered; one that is forgotten and met again has its whole time again. */
const MOST_SEEN = 10_000;
/** Claims that one look leaves out; beyond it, work of others may fill the look. */
const MOST_HELD = 1000;

/**
 * Judges which claims on one kind of work nobody works under any more. An earlier life of this controller has
 * ended with its claims. All others last from when they were first met, by the time that passes here: what
 * the clocks of other controllers say is never compared with ours.
 */
export class Claims {
  readonly #deps: ClaimsDeps;
  readonly #life = newSecret();
  /** By token, when it was first met, monotonic ms; in that order. */
  readonly #met = new Map<string, number>();

  constructor(deps: ClaimsDeps) {
    this.#deps = deps;
  }

  begin(): Claim {
    const claim = { token: newSecret(), holder: this.#deps.holder, life: this.#life };
    this.leftMs(claim);
    return claim;
  }

  /**
   * Does the work that `take` claims, and records its outcome; null if somebody else was first. When one of
   * them throws, the claim may be stored, and so lasts.
   */
  async under<T, R>(
    take: (claim: Claim) => Promise<T | null>, work: (taken: T) => Promise<R>,
  ): Promise<R | null> {
    const claim = this.begin();
    const taken = await take(claim);
    const outcome = taken === null ? null : await work(taken);
    this.#met.delete(claim.token);
    return outcome;
  }

  /** How long a claim lasts from now, ms; 0 if it may be taken over. */
  leftMs({ token, holder, life }: Claim): number {
    const { clock, lastsMs } = this.#deps;
    if (holder === this.#deps.holder && life !== this.#life) return 0;
    const now = clock.monotonic();
    const metAt = this.#met.get(token) ?? now;
    this.#met.set(token, metAt);
    if (this.#met.size > MOST_SEEN) this.#met.delete(this.#met.keys().next().value as string);
    return Math.max(0, metAt + lastsMs - now);
  }

  /** Whether work with this claim, or with none, may be begun. */
  isFree(claim: Claim | null | undefined): boolean {
    return !claim || this.leftMs(claim) === 0;
  }

  /** The tokens of known claims that last: a look for work leaves theirs out, so that it finds other work. */
  get held(): string[] {
    const { clock, lastsMs } = this.#deps;
    const since = clock.monotonic() - lastsMs;
    return [...this.#met].filter(([, metAt]) => metAt > since).map(([token]) => token).slice(-MOST_HELD);
  }
}
