import { isIPv6 } from 'node:net';
import { MAX_HOPS } from '../../shared/contracts/examination.ts';
import type { Clock } from '../../shared/time.ts';
import { TOO_LARGE } from '../checks/icmp/ping-problems.ts';
import type { Pinger, PingReport } from '../checks/icmp/pinger.ts';
import { LargePackets, LARGE_DATA_BYTES, SMALL_DATA_BYTES } from './large-packets.ts';
import { Route } from './route.ts';

const FULL_TTL = 64;
const PATIENCE_MS = 600;
/** So that one lost packet does not make a hop silent. */
const PACKETS_PER_HOP = 2;
const SPACING_MS = 200;
const MAX_CONCURRENT = 10;

interface PingTraceOptions {
  pinger: Pinger;
  clock: Clock;
  /** An IP address as the system writes it. */
  target: string;
}

/** A trace with the system's `ping`, one process per TTL. Does not measure routers. */
export class PingTrace {
  readonly route = new Route();
  readonly large = new LargePackets();
  readonly #options: PingTraceOptions;

  constructor(options: PingTraceOptions) {
    this.#options = options;
  }

  async run(timeoutMs: number): Promise<void> {
    const endsAtMs = this.#options.clock.monotonic() + timeoutMs;
    const sizes = this.#compareSizes(timeoutMs);
    let next = 1;
    const trace = async (): Promise<void> => {
      while (next <= MAX_HOPS && next <= this.route.endTtl) {
        const leftMs = endsAtMs - this.#options.clock.monotonic();
        if (leftMs < SPACING_MS + 1) return;
        const ttl = next;
        next += 1;
        this.#record(ttl, await this.#ping(ttl, SMALL_DATA_BYTES, leftMs));
      }
    };
    await Promise.all([sizes, ...Array.from({ length: MAX_CONCURRENT }, trace)]);
  }

  async #compareSizes(timeoutMs: number): Promise<void> {
    const size = LARGE_DATA_BYTES[isIPv6(this.#options.target) ? 6 : 4];
    const [small, large] = await Promise.all([
      this.#ping(FULL_TTL, SMALL_DATA_BYTES, timeoutMs),
      this.#ping(FULL_TTL, size, timeoutMs, true),
    ]);
    if (small.rttsMs.length > 0) this.large.onResponse('small');
    if (large.rttsMs.length > 0) this.large.onResponse('large');
    const { problem } = large;
    const returned = problem?.whose === 'target' ? problem.returned : undefined;
    if (problem === TOO_LARGE || returned?.why === 'too_large') this.large.onTooLarge();
    else if (problem === null && large.sent > 0) this.large.onSent();
  }

  #ping(ttl: number, size: number, timeoutMs: number, isWhole = false): Promise<PingReport> {
    const responseTimeoutMs = Math.max(1, Math.min(PATIENCE_MS, timeoutMs - SPACING_MS));
    return this.#options.pinger.ping({
      address: this.#options.target, count: PACKETS_PER_HOP, size, ttl, isWhole,
      plan: { intervalMs: SPACING_MS, responseTimeoutMs },
      maxQueueMs: Math.max(0, timeoutMs - responseTimeoutMs - SPACING_MS),
    });
  }

  #record(ttl: number, { rttsMs, problem }: PingReport): void {
    const { target } = this.#options;
    if (rttsMs.length > 0) return this.route.record(ttl, 'target', target, Math.min(...rttsMs));
    const returned = problem?.whose === 'target' ? problem.returned : undefined;
    if (!returned) return;
    if (returned.why === 'ttl_exceeded') this.route.record(ttl, 'router', returned.from, null);
    else this.route.record(ttl, returned.from === target ? 'target' : 'refuser', returned.from, null);
  }
}
