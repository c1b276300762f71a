/** What one sender may use: `perSecond` in the long run, `burst` at once after a pause. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** Senders remembered; beyond it, those whose bucket has filled up again are forgotten. */
const SENDERS = 1000;

interface Bucket {
  left: number;
  /** Monotonic ms of the last take. */
  at: number;
}

/** A token bucket for each sender, so that what one uses up is its own. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Takes `amount` and returns true; takes nothing and returns false when the sender has less left. */
  take(sender: string, amount: number, monotonicNow: number): boolean {
    const bucket = this.#bucketOf(sender, monotonicNow);
    bucket.left = this.#refilled(bucket, monotonicNow);
    bucket.at = monotonicNow;
    if (bucket.left < amount) return false;
    bucket.left -= amount;
    return true;
  }

  #bucketOf(sender: string, now: number): Bucket {
    const known = this.#buckets.get(sender);
    if (known) return known;
    if (this.#buckets.size >= SENDERS) this.#forget(now);
    const bucket = { left: this.#rate.burst, at: now };
    this.#buckets.set(sender, bucket);
    return bucket;
  }

  #forget(now: number): void {
    for (const [sender, bucket] of this.#buckets) {
      if (this.#refilled(bucket, now) === this.#rate.burst) this.#buckets.delete(sender);
    }
  }

  #refilled(bucket: Bucket, now: number): number {
    return Math.min(this.#rate.burst, bucket.left + ((now - bucket.at) / 1000) * this.#rate.perSecond);
  }
}
