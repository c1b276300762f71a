/** What one sender may use: `perSecond` in the long run, `burst` at once after a pause. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** For what is to be logged once per sender and hour. */
export const ONCE_AN_HOUR: Rate = { perSecond: 1 / 3600, burst: 1 };

/** Senders remembered; beyond it, those whose bucket has filled up again are forgotten. */
const MAX_SENDERS = 1000;

interface Bucket {
  /** Below 0 for a sender in debt. */
  left: number;
  /** Monotonic ms of the last charge. */
  at: number;
}

/** A token bucket for each sender, so that what one uses up is its own. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** What the sender may use now; below 0 while it is in debt. */
  left(sender: string, monotonicNow: number): number {
    const bucket = this.#buckets.get(sender);
    return bucket ? this.#refilled(bucket, monotonicNow) : this.#rate.burst;
  }

  /** Takes `amount` and returns true; takes nothing and returns false when the sender has less left. */
  take(sender: string, amount: number, monotonicNow: number): boolean {
    if (this.left(sender, monotonicNow) < amount) return false;
    this.charge(sender, amount, monotonicNow);
    return true;
  }

  /** Takes `amount` even when the sender has less left: it is in debt then. */
  charge(sender: string, amount: number, monotonicNow: number): void {
    const left = this.left(sender, monotonicNow) - amount;
    if (this.#buckets.size >= MAX_SENDERS && !this.#buckets.has(sender)) this.#forget(monotonicNow);
    this.#buckets.set(sender, { left, at: monotonicNow });
  }

  #forget(now: number): void {
    for (const [sender, bucket] of this.#buckets) {
      if (this.#refilled(bucket, now) === this.#rate.burst) this.#buckets.delete(sender);
    }
  }

  #refilled({ left, at }: Bucket, now: number): number {
    return Math.min(this.#rate.burst, left + ((now - at) / 1000) * this.#rate.perSecond);
  }
}
