/** Combines simultaneous triggers into one run. */
const BATCH_DELAY_MS = 200;
/** Burst size, and the interval after it: a user has 1,000 requests per 15 minutes across all tabs. */
const MAX_BURST_RUNS = 20;
const SUSTAINED_INTERVAL_MS = 5000;

/** Runs a callback shortly after a trigger, once for all triggers in the meantime, at a limited rate. */
export class Throttle {
  readonly #run: () => void;
  #timer = 0;
  #nextAt = -Infinity;

  constructor(run: () => void) {
    this.#run = run;
  }

  trigger(): void {
    if (this.#timer !== 0) return;
    const now = performance.now();
    this.#nextAt = Math.max(this.#nextAt, now - MAX_BURST_RUNS * SUSTAINED_INTERVAL_MS) + SUSTAINED_INTERVAL_MS;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.#run();
    }, Math.max(BATCH_DELAY_MS, this.#nextAt - now));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}
