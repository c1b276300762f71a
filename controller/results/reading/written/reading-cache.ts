/**
 * `keep valid entries` suits readers that always iterate over more entries than fit, in the same order:
 * dropping the oldest would evict exactly what they need next.
 */
export type WhenFull = 'evict the oldest' | 'keep valid entries';

interface Limits {
  maxEntries: number;
  /** How long an entry is valid, ms. */
  ttlMs: number;
  whenFull: WhenFull;
}

/** A cache by key, bounded in size and age (monotonic ms). */
export class ReadingCache<T> {
  readonly #limits: Limits;
  /** Oldest first. */
  readonly #entries = new Map<string, { value: T; readAt: number }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Undefined if there is no entry, or it is too old at `at`. */
  get(key: string, at: number): T | undefined {
    const cached = this.#entries.get(key);
    return cached && at - cached.readAt < this.#limits.ttlMs ? cached.value : undefined;
  }

  set(key: string, value: T, readAt: number): void {
    const { maxEntries, ttlMs, whenFull } = this.#limits;
    this.#entries.delete(key);
    for (const [oldest, { readAt: before }] of this.#entries) {
      if (this.#entries.size < maxEntries) break;
      if (whenFull === 'keep valid entries' && readAt - before < ttlMs) return;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, readAt });
  }
}
