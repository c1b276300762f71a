import { backoffMs, spreadMs } from '../shared/backoff.ts';
import type { Clock } from '../shared/time.ts';

/** Delay between attempts at an unreachable server, which is usually back soon. */
const UNREACHABLE_MS = 250;
/** After a rejection, which only a person can fix. */
const REFUSED = { minMs: 500, maxMs: 300_000 };
/** A connection that lasts this long resets the rejection backoff. */
const STEADY_MS = 10_000;

/** Computes the delay before the next connection attempt. */
export class ReconnectBackoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #refusals = 0;
  #connectedAtMs: number | null = null;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  connected(): void {
    this.#connectedAtMs = this.#clock.monotonic();
  }

  /** Delay after the server was lost or unreachable, ms. */
  delayAfterLoss(): number {
    return spreadMs(UNREACHABLE_MS, 2, this.#random());
  }

  /** Delay after a rejection, ms: doubles each time up to 5 minutes, with jitter in its second half. */
  delayAfterRefusal(): number {
    const connectedMs = this.#connectedAtMs === null ? 0 : this.#clock.monotonic() - this.#connectedAtMs;
    this.#connectedAtMs = null;
    this.#refusals = connectedMs >= STEADY_MS ? 1 : this.#refusals + 1;
    return backoffMs(this.#refusals, REFUSED, this.#random());
  }
}
