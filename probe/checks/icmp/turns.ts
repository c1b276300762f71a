import { Fifo } from '../../fifo.ts';

/** One in this many waiting calls runs per turn, so that a burst ends even if turns take long. */
const SHARE = 8;

/**
 * Spreads calls over turns of the event loop. Sockets are read in between, so that sending one packet doesn't
 * delay reading the reply to another.
 */
export class Turns {
  readonly #waiting = new Fifo<() => void>();

  /** Runs `callback` in a later turn. Each ping in progress has at most one call waiting. */
  take(callback: () => void): void {
    this.#waiting.put(callback);
    if (this.#waiting.size === 1) this.#scheduleTurn();
  }

  #scheduleTurn(): void {
    setImmediate(() => {
      for (let left = Math.ceil(this.#waiting.size / SHARE); left > 0; left -= 1) this.#waiting.take()?.();
      if (this.#waiting.size > 0) this.#scheduleTurn();
    });
  }
}
