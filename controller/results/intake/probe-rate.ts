/** A probe's steady rate, some 20,000 results a second, and its burst. */
const BYTES_PER_S = 1_048_576;
const BURST_BYTES = 16 * BYTES_PER_S;
/** Probes remembered; beyond it, those that have sent nothing for a while are dropped. */
const PROBES = 1000;

interface Bucket {
  left: number;
  /** Monotonic ms of the last take. */
  at: number;
}

/** Keeps a probe from using up everybody's time: messages beyond its rate are ignored, and sent again. */
export class ProbeRate {
  readonly #buckets = new Map<string, Bucket>();
  /** Messages ignored since the start. */
  exceeded = 0;

  /** True when a message of that size is within its sender's rate. */
  admits(probeId: string, bytes: number, monotonicNow: number): boolean {
    const bucket = this.#bucketOf(probeId, monotonicNow);
    bucket.left = refilled(bucket, monotonicNow);
    bucket.at = monotonicNow;
    if (bucket.left < bytes) {
      this.exceeded += 1;
      return false;
    }
    bucket.left -= bytes;
    return true;
  }

  #bucketOf(probeId: string, now: number): Bucket {
    const known = this.#buckets.get(probeId);
    if (known) return known;
    if (this.#buckets.size >= PROBES) this.#forget(now);
    const bucket = { left: BURST_BYTES, at: now };
    this.#buckets.set(probeId, bucket);
    return bucket;
  }

  #forget(now: number): void {
    for (const [probeId, bucket] of this.#buckets) {
      if (refilled(bucket, now) === BURST_BYTES) this.#buckets.delete(probeId);
    }
  }
}

function refilled(bucket: Bucket, now: number): number {
  return Math.min(BURST_BYTES, bucket.left + ((now - bucket.at) / 1000) * BYTES_PER_S);
}
