/**
 * `keep what is good` suits readers that go through more than fits, always in the same order. Dropping the
 * oldest would always drop just what such a reader needs next.
 */
export type WhenFull = 'drop the oldest' | 'keep what is good';

interface Limits {
  maxEntries: number;
  /** How long what was read is good, ms. */
  ttlMs: number;
  whenFull: WhenFull;
}

/** What was read by a key, and when (monotonic ms): bounded in number and in age. */
export class ReadingCache<T> {
  readonly #limits: Limits;
  /** The longest remembered first. */
  readonly #entries = new Map<string, { value: T; readAt: number }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Undefined if nothing is known, or if it is too old at `at`. */
  get(key: string, at: number): T | undefined {
    const cached = this.#entries.get(key);
    return cached && at - cached.readAt < this.#limits.ttlMs ? cached.value : undefined;
  }

  set(key: string, value: T, readAt: number): void {
    const { maxEntries, ttlMs, whenFull } = this.#limits;
    this.#entries.delete(key);
    for (const [oldest, { readAt: before }] of this.#entries) {
      if (this.#entries.size < maxEntries) break;
      if (whenFull === 'keep what is good' && readAt - before < ttlMs) return;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, readAt });
  }
}
