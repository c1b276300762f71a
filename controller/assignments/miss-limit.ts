import type { Log } from '../../shared/log.ts';
import { ONCE_AN_HOUR, TokenBuckets } from '../../shared/token-buckets.ts';

/** Monitors that a probe may name in vain, steadily and at once; an honest probe names none. */
const MISS_RATE = { perSecond: 100, burst: 1000 };

/** `misses`: monitors that the probe does not have; `strangers`: those among them that it never had. */
export interface Misses {
  misses: number;
  neverAssigned: number;
}

/** Keeps a probe that names other probes' monitors from having the database queried as often as it likes. */
export class MissLimit {
  readonly #log: Pick<Log, 'warn'>;
  readonly #missRate = new TokenBuckets(MISS_RATE);
  readonly #warnings = new TokenBuckets(ONCE_AN_HOUR);

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  /** False while a probe has named too many monitors in vain. */
  admits(probeId: string, monotonicNow: number): boolean {
    return this.#missRate.left(probeId, monotonicNow) > 0;
  }

  /** Warns of strangers once per probe and hour. */
  charge(probeId: string, { misses, neverAssigned }: Misses, monotonicNow: number): void {
    if (misses === 0) return;
    // How many there are is known once the database has answered: it may be more than were left.
    this.#missRate.charge(probeId, misses, monotonicNow);
    if (neverAssigned === 0 || !this.#warnings.take(probeId, 1, monotonicNow)) return;
    this.#log.warn({ probe_id: probeId }, 'a probe reported on monitors that it was never assigned');
  }
}
