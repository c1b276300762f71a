/** A sender's limits: `perSecond` on average, `burst` after a pause. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** For messages logged once per sender per hour. */
export const ONCE_AN_HOUR: Rate = { perSecond: 1 / 3600, burst: 1 };

/** Maximum tracked senders; beyond it, those with a full bucket are discarded. */
const MAX_SENDERS = 1000;

interface Bucket {
  /** Negative while the sender is in debt. */
  left: number;
  /** Time of the last charge, monotonic ms. */
  at: number;
}

/** One token bucket per sender. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Tokens the sender has now; negative while it is in debt. */
  left(sender: string, monotonicNow: number): number {
    const bucket = this.#buckets.get(sender);
    return bucket ? this.#refilled(bucket, monotonicNow) : this.#rate.burst;
  }

  /** Takes `amount` and returns true, or takes nothing and returns false if the sender has less. */
  take(sender: string, amount: number, monotonicNow: number): boolean {
    if (this.left(sender, monotonicNow) < amount) return false;
    this.charge(sender, amount, monotonicNow);
    return true;
  }

  /** Takes `amount` even if the sender has less, leaving it in debt. */
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
