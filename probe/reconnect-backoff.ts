import type { Clock } from '../shared/time.ts';

/** Between attempts at a server that is away: it is mostly back soon. */
const UNREACHABLE_MS = { min: 250, spread: 500 };
/** Between attempts at a server that refuses this probe: only a person can change that. */
const MIN_REFUSED_MS = 500;
const MAX_REFUSED_MS = 300_000;
/** A connection that has held for so long ends the series of refusals. */
const STEADY_MS = 10_000;

/** How long a probe waits before it tries to connect again. */
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

  /** Ms after the server could not be reached, or was lost. */
  delayAfterLoss(): number {
    return UNREACHABLE_MS.min + this.#random() * UNREACHABLE_MS.spread;
  }

  /** Ms after one more refusal: twice as long each time, up to 5 minutes, the latter half of it at random. */
  delayAfterRefusal(): number {
    const connectedMs = this.#connectedAtMs === null ? 0 : this.#clock.monotonic() - this.#connectedAtMs;
    this.#connectedAtMs = null;
    this.#refusals = connectedMs >= STEADY_MS ? 1 : this.#refusals + 1;
    const backoffMs = Math.min(MAX_REFUSED_MS, MIN_REFUSED_MS * 2 ** (this.#refusals - 1));
    return backoffMs * (0.5 + this.#random() / 2);
  }
}
