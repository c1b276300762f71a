import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { TokenBuckets } from '../../shared/token-buckets.ts';

/** A misbehaving probe must not fill the log. */
const LOG_RATE = { perSecond: 1 / 60, burst: 1 };

interface IgnoredDeps {
  clock: Clock;
  log: Log;
  /** Why messages are ignored, for the log. */
  reason: string;
}

/** Counts ignored messages of probes, and logs one per probe and minute. */
export class IgnoredMessages {
  readonly #deps: IgnoredDeps;
  readonly #logRate = new TokenBuckets(LOG_RATE);
  /** Messages ignored since the start. */
  count = 0;

  constructor(deps: IgnoredDeps) {
    this.#deps = deps;
  }

  add(probeId: string, facts: object = {}): void {
    const { clock, log, reason } = this.#deps;
    this.count += 1;
    if (!this.#logRate.take(probeId, 1, clock.monotonic())) return;
    log.warn({ probe_id: probeId, ignored: this.count, ...facts }, reason);
  }
}
