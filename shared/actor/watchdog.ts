import type { Clock, Timer } from '../time.ts';

/** A message is in work for too long after this time: longer than its longest request to others takes. */
const SLOW_AFTER_MS = 10_000;
/** The same for a message that is handled without waiting, because it blocks the whole process. */
const BLOCKED_AFTER_MS = 1000;
const SWEEP_INTERVAL_MS = 5000;

export interface SlowMessage {
  /** The actor's name. */
  actor: unknown;
  message: unknown;
  forMs: number;
}

interface Work {
  message: unknown;
  sinceMono: number;
  isReported: boolean;
}

/**
 * Reports each message that is in work for too long, once. One timer for all actors of a kind looks at those
 * that wait for something; it is not set while there are none.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onSlow: (slow: SlowMessage) => void;
  /** By actor. */
  readonly #inWork = new Map<unknown, Work>();
  #timer: Timer | null = null;

  constructor(clock: Clock, onSlow: (slow: SlowMessage) => void) {
    this.#clock = clock;
    this.#onSlow = onSlow;
  }

  /** The actor waits for something while it handles a message that it began at `sinceMono`. */
  begin(actor: unknown, message: unknown, sinceMono: number): void {
    this.#inWork.set(actor, { message, sinceMono, isReported: false });
    this.#timer ??= this.#clock.setTimer(SWEEP_INTERVAL_MS, this.#sweep, true);
  }

  end(actor: unknown): void {
    this.#inWork.delete(actor);
  }

  /** The actor handled a message without waiting. @returns the time, monotonic ms. */
  handled(actor: unknown, message: unknown, sinceMono: number): number {
    const nowMono = this.#clock.monotonic();
    const forMs = nowMono - sinceMono;
    if (forMs >= BLOCKED_AFTER_MS) this.#onSlow({ actor, message, forMs });
    return nowMono;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  readonly #sweep = (): void => {
    const nowMono = this.#clock.monotonic();
    for (const [actor, work] of this.#inWork) {
      const forMs = nowMono - work.sinceMono;
      if (work.isReported || forMs < SLOW_AFTER_MS) continue;
      work.isReported = true;
      this.#onSlow({ actor, message: work.message, forMs });
    }
    this.#timer = this.#inWork.size > 0 ? this.#clock.setTimer(SWEEP_INTERVAL_MS, this.#sweep, true) : null;
  };
}
