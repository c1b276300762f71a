import { EVIDENCE_RATE } from '../../shared/contracts/evidence.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { TokenBuckets, type Rate } from '../../shared/token-buckets.ts';
import { IgnoredMessages } from './ignored-messages.ts';

const MIB = 1_048_576;

/** Limits per probe and kind of subject. Farwatch's own probe never comes near them. */
const RATES = {
  /** Bytes: about 20,000 results a second, plus a burst to drain a spool after an outage. */
  results: { perSecond: MIB, burst: 16 * MIB },
  /** Beats: one every 5 s, plus one for each new connection, at most four a second. */
  beat: { perSecond: 5, burst: 50 },
  /** Page requests: a probe reads at most 2,000 pages of a response, one after the other. */
  sync: { perSecond: 10, burst: 2000 },
  /** Replies to requested checks: a probe runs at most 64 of them concurrently. */
  run: { perSecond: 64, burst: 640 },
  /** Messages. */
  evidence: EVIDENCE_RATE,
} as const satisfies Record<string, Rate>;

export type ProbeSubject = keyof typeof RATES;

interface RateDeps {
  clock: Clock;
  log: Log;
  subject: ProbeSubject;
}

/** Keeps one probe from starving the others. Ignores messages beyond its rate. */
export class ProbeRate {
  readonly subject: ProbeSubject;
  readonly #clock: Clock;
  readonly #buckets: TokenBuckets;
  readonly #ignored: IgnoredMessages;

  constructor({ clock, log, subject }: RateDeps) {
    this.subject = subject;
    this.#clock = clock;
    this.#buckets = new TokenBuckets(RATES[subject]);
    this.#ignored = new IgnoredMessages({ clock, log, reason: 'a probe exceeds its message limit' });
  }

  /** Messages ignored since the start. */
  get exceeded(): number {
    return this.#ignored.count;
  }

  /** True if the message is within its sender's rate. `amount`: bytes for results, otherwise 1. */
  admits(probeId: string, amount = 1): boolean {
    if (this.#buckets.take(probeId, amount, this.#clock.monotonic())) return true;
    this.#ignored.add(probeId, { subject: this.subject });
    return false;
  }
}
