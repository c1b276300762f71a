import { Fifo } from '../../fifo.ts';

/** Of the calls that wait, so many share a turn, so that a burst ends even when turns take long. */
const SHARE = 8;

/**
 * Calls that take turns of the event loop, one after the other. Between two of them sockets are read, so what
 * answers the first is not kept waiting by the second.
 */
export class Turns {
  readonly #waiting = new Fifo<() => void>();

  /** Calls `act` in a turn to come. Each ping under way has at most one such call waiting. */
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
