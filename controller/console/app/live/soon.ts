/** So that what happens together is answered together. */
const WAIT_MS = 200;
/** Runs in a row, and then how often: a user has 1,000 requests in 15 minutes, in all tabs. */
const MOST_IN_A_ROW = 20;
const THEN_EVERY_MS = 5000;

/** Runs something soon after it is asked for, once for all that ask meanwhile, and never too often. */
export class Soon {
  readonly #run: () => void;
  #timer = 0;
  #nextAt = -Infinity;

  constructor(run: () => void) {
    this.#run = run;
  }

  ask(): void {
    if (this.#timer !== 0) return;
    const now = performance.now();
    this.#nextAt = Math.max(this.#nextAt, now - MOST_IN_A_ROW * THEN_EVERY_MS) + THEN_EVERY_MS;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.#run();
    }, Math.max(WAIT_MS, this.#nextAt - now));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}
