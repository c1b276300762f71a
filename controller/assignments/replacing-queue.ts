type Work = () => Promise<void>;

interface Limits {
  maxRunning: number;
  /** Limit of keys that may wait. */
  maxWaiting: number;
}

/**
 * Runs work per key: one task at a time for each key, in turn, and a few concurrently overall. A new task
 * replaces the waiting one of the same key.
 */
export class ReplacingQueue {
  readonly #limits: Limits;
  /** In order of their turn. A served key goes to the end. */
  readonly #waiting = new Map<string, Work>();
  readonly #running = new Map<string, Promise<void>>();
  /** Tasks dropped since the start, because a newer one replaced them or the queue was full. */
  dropped = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** `work` must not reject. It replaces the waiting task of the same key and keeps its turn. */
  put(key: string, work: Work): void {
    const isWaiting = this.#waiting.has(key);
    if (isWaiting || this.#waiting.size >= this.#limits.maxWaiting) this.dropped += 1;
    if (isWaiting || this.#waiting.size < this.#limits.maxWaiting) this.#waiting.set(key, work);
    this.#startNext();
  }

  /** Drops waiting tasks; resolves when running ones have ended. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #startNext(): void {
    while (this.#running.size < this.#limits.maxRunning) {
      const next = this.#nextKey();
      if (next === undefined) return;
      const work = this.#waiting.get(next) as Work;
      this.#waiting.delete(next);
      this.#running.set(next, work().then(() => {
        this.#running.delete(next);
        this.#startNext();
      }));
    }
  }

  /** Skips at most as many keys as are running. */
  #nextKey(): string | undefined {
    for (const key of this.#waiting.keys()) if (!this.#running.has(key)) return key;
    return undefined;
  }
}
