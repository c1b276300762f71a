import type { Clock } from '../shared/time.ts';

/** Between attempts at a server that is away: it is mostly back soon. */
const AWAY_MS = { least: 250, spread: 500 };
/** Between attempts at a server that refuses this probe: only a person can change that. */
const FIRST_REFUSED_MS = 500;
const LONGEST_REFUSED_MS = 300_000;
/** A connection that has held for so long ends the series of refusals. */
const STEADY_MS = 10_000;

/** How long a probe waits before it tries to connect again. */
export class ReconnectWait {
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
  away(): number {
    return AWAY_MS.least + this.#random() * AWAY_MS.spread;
  }

  /** Ms after one more refusal: twice as long each time, up to 5 minutes, the latter half of it at random. */
  refused(): number {
    const heldMs = this.#connectedAtMs === null ? 0 : this.#clock.monotonic() - this.#connectedAtMs;
    this.#connectedAtMs = null;
    this.#refusals = heldMs >= STEADY_MS ? 1 : this.#refusals + 1;
    const fullMs = Math.min(LONGEST_REFUSED_MS, FIRST_REFUSED_MS * 2 ** (this.#refusals - 1));
    return fullMs * (0.5 + this.#random() / 2);
  }
}
