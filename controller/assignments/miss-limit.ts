import type { Log } from '../../shared/log.ts';
import { ONCE_AN_HOUR, TokenBuckets } from '../../shared/token-buckets.ts';

/** Monitors a probe may name that it does not have, sustained and in a burst. An honest probe names none. */
const MISS_RATE = { perSecond: 100, burst: 1000 };

/** `misses`: monitors that the probe does not have; `neverAssigned`: those among them that it never had. */
export interface Misses {
  misses: number;
  neverAssigned: number;
}

/** Limits the database queries that a probe can cause by naming other probes' monitors. */
export class MissLimit {
  readonly #log: Pick<Log, 'warn'>;
  readonly #missRate = new TokenBuckets(MISS_RATE);
  readonly #warnings = new TokenBuckets(ONCE_AN_HOUR);

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  /** False while a probe is over its limit. */
  admits(probeId: string, monotonicNow: number): boolean {
    return this.#missRate.left(probeId, monotonicNow) > 0;
  }

  /** Warns of never-assigned monitors at most once per probe and hour. */
  charge(probeId: string, { misses, neverAssigned }: Misses, monotonicNow: number): void {
    if (misses === 0) return;
    // The count is known only after the query, so it may exceed the remaining allowance.
    this.#missRate.charge(probeId, misses, monotonicNow);
    if (neverAssigned === 0 || !this.#warnings.take(probeId, 1, monotonicNow)) return;
    this.#log.warn({ probe_id: probeId }, 'a probe reported on monitors that it was never assigned');
  }
}
