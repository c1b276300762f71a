/** Of the database connections that all of the controller shares, so many at most, so that a backlog starves nobody. */
const AT_ONCE = 16;

/** Ends of what was begun go before beginnings: a delivery that was sent has to be written down within its claim. */
export type Rank = 'end' | 'begin';

/**
 * Lets so much work at the database run at once; the rest waits, in order of asking within its rank. Who waits is bounded
 * by the destinations and tries at work.
 */
export class Turns {
  readonly #waiting: Record<Rank, (() => void)[]> = { end: [], begin: [] };
  #free: number;

  constructor(atOnce = AT_ONCE) {
    this.#free = atOnce;
  }

  get waiting(): number {
    return this.#waiting.end.length + this.#waiting.begin.length;
  }

  async take<T>(rank: Rank, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting[rank].push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.end.shift() ?? this.#waiting.begin.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
