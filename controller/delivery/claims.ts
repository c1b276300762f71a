import { newSecret } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';

/** Says who attempts a delivery or sends a digest, so that nobody else does. */
export interface Claim {
  /** Of this attempt. */
  token: string;
  /** The controller, as in its leases: the same after a restart. */
  holder: string;
  /** From one start of that controller to the next. */
  life: string;
}

/** An attempt, with the time before it sends and the time to record its outcome, takes less than this. */
export const CLAIM_MS = 30_000;
/** Claims remembered; one that is forgotten and met again has its whole time again. */
const MOST_SEEN = 10_000;

/**
 * Judges which claims nobody works under any more. An earlier life of this controller has ended with its
 * claims. All others last for CLAIM_MS from when they were first met, by the time that passes here: what the
 * clocks of other controllers say is never compared with ours.
 */
export class Claims {
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #life = newSecret();
  /** By token, when it was first met, monotonic ms. */
  readonly #met = new Map<string, number>();

  constructor(clock: Clock, holder: string) {
    this.#clock = clock;
    this.#holder = holder;
  }

  begin(): Claim {
    const claim = { token: newSecret(), holder: this.#holder, life: this.#life };
    this.leftMs(claim);
    return claim;
  }

  /** How long a claim lasts from now, ms; 0 if it may be taken over. */
  leftMs({ token, holder, life }: Claim): number {
    if (holder === this.#holder && life !== this.#life) return 0;
    const now = this.#clock.monotonic();
    const metAt = this.#met.get(token) ?? now;
    this.#met.set(token, metAt);
    if (this.#met.size > MOST_SEEN) this.#met.delete(this.#met.keys().next().value as string);
    return Math.max(0, metAt + CLAIM_MS - now);
  }

  isOver(claim: Claim): boolean {
    return this.leftMs(claim) === 0;
  }
}
