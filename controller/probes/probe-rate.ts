import { EVIDENCE_RATE } from '../../shared/contracts/evidence.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { TokenBuckets, type Rate } from '../../shared/token-buckets.ts';
import { IgnoredMessages } from './ignored-messages.ts';

const MIB = 1_048_576;

/** What one probe may send on each kind of subject. No probe of ours ever comes near it. */
const RATES = {
  /** Bytes: some 20,000 results a second, and a burst to drain a spool after an outage. */
  results: { perSecond: MIB, burst: 16 * MIB },
  /** Beats: a probe sends one every 5 s, and one for each new connection, of which it makes four a second. */
  beat: { perSecond: 5, burst: 50 },
  /** Requests, one for each page: a probe reads at most 2,000 pages of an answer, one after the other. */
  sync: { perSecond: 10, burst: 2000 },
  /** Replies, one for each check that somebody asked for: a probe runs at most 64 of these at once. */
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

/** Keeps a probe from using up everybody's time: messages beyond its rate are ignored. */
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

  /** True when the message is within its sender's rate. `amount`: bytes of results, else 1. */
  admits(probeId: string, amount = 1): boolean {
    if (this.#buckets.take(probeId, amount, this.#clock.monotonic())) return true;
    this.#ignored.add(probeId, { subject: this.subject });
    return false;
  }
}
