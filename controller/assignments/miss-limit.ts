import type { Log } from '../../shared/log.ts';

/** Monitors that a probe may name in vain, steadily and at once; an honest probe names none. */
const MISSES_PER_S = 100;
const BURST = 1000;
/** Probes remembered; beyond it, those without a recent miss are dropped. */
const PROBES = 1000;
const WARN_EVERY_MS = 3_600_000;

interface Bucket {
  left: number;
  /** Monotonic ms of the last charge. */
  at: number;
  warnedAt: number;
}

/** `misses`: monitors that the probe does not have; `strangers`: those among them that it never had. */
export interface Misses {
  misses: number;
  strangers: number;
}

/** Keeps a probe that names other probes' monitors from having the database queried as often as it likes. */
export class MissLimit {
  readonly #log: Pick<Log, 'warn'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  /** False while a probe has named too many monitors in vain. */
  admits(probeId: string, monotonicNow: number): boolean {
    const bucket = this.#buckets.get(probeId);
    return !bucket || refilled(bucket, monotonicNow) > 0;
  }

  /** Warns of strangers once per probe and hour. */
  charge(probeId: string, { misses, strangers }: Misses, monotonicNow: number): void {
    if (misses === 0) return;
    const bucket = this.#bucketOf(probeId, monotonicNow);
    bucket.left = refilled(bucket, monotonicNow) - misses;
    bucket.at = monotonicNow;
    if (strangers === 0 || monotonicNow - bucket.warnedAt < WARN_EVERY_MS) return;
    bucket.warnedAt = monotonicNow;
    this.#log.warn({ probe_id: probeId }, 'a probe reports on monitors that it was never assigned');
  }

  #bucketOf(probeId: string, now: number): Bucket {
    const known = this.#buckets.get(probeId);
    if (known) return known;
    if (this.#buckets.size >= PROBES) this.#dropIdle(now);
    const bucket = { left: BURST, at: now, warnedAt: -Infinity };
    this.#buckets.set(probeId, bucket);
    return bucket;
  }

  #dropIdle(now: number): void {
    for (const [probeId, { at }] of this.#buckets) {
      if (now - at > WARN_EVERY_MS) this.#buckets.delete(probeId);
    }
  }
}

function refilled({ left, at }: Bucket, now: number): number {
  return Math.min(BURST, left + ((now - at) / 1000) * MISSES_PER_S);
}
