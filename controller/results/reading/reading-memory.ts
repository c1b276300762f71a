/**
 * `keep what is good` suits readers that go through more than fits, always in the same order. Dropping the
 * oldest would always drop just what such a reader needs next.
 */
export type WhenFull = 'drop the oldest' | 'keep what is good';

interface Limits {
  most: number;
  /** How long what was read is good, ms. */
  goodForMs: number;
  whenFull: WhenFull;
}

/** What was read by a key, and when (monotonic ms): bounded in number and in age. */
export class ReadingMemory<T> {
  readonly #limits: Limits;
  /** The longest remembered first. */
  readonly #kept = new Map<string, { what: T; readAt: number }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Undefined if nothing is known, or if it is too old at `at`. */
  recall(key: string, at: number): T | undefined {
    const known = this.#kept.get(key);
    return known && at - known.readAt < this.#limits.goodForMs ? known.what : undefined;
  }

  keep(key: string, what: T, readAt: number): void {
    const { most, goodForMs, whenFull } = this.#limits;
    this.#kept.delete(key);
    for (const [oldest, { readAt: before }] of this.#kept) {
      if (this.#kept.size < most) break;
      if (whenFull === 'keep what is good' && readAt - before < goodForMs) return;
      this.#kept.delete(oldest);
    }
    this.#kept.set(key, { what, readAt });
  }
}
