/** So that what happens together is answered together. */
const BATCH_DELAY_MS = 200;
/** Runs in a row, and then how often: a user has 1,000 requests in 15 minutes, in all tabs. */
const MAX_BURST_RUNS = 20;
const SUSTAINED_INTERVAL_MS = 5000;

/** Runs something soon after it is asked for, once for all that ask meanwhile, and never too often. */
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
