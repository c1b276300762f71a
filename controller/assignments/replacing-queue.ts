type Work = () => Promise<void>;

interface Limits {
  maxRunning: number;
  /** Askers that may wait. */
  maxWaiting: number;
}

/**
 * Does work for many askers: one piece at a time for each of them, in turn, and a few at once in all. What an
 * asker sends replaces what it still has waiting.
 */
export class ReplacingQueue {
  readonly #limits: Limits;
  /** In order of their turn. An asker that has been served goes to the end. */
  readonly #waiting = new Map<string, Work>();
  readonly #running = new Map<string, Promise<void>>();
  /** Pieces dropped since the start: their asker sent a newer one, or too many others waited. */
  dropped = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** `work` must not reject. It replaces what still waits for the same asker, and keeps its turn. */
  put(key: string, work: Work): void {
    const isWaiting = this.#waiting.has(key);
    if (isWaiting || this.#waiting.size >= this.#limits.maxWaiting) this.dropped += 1;
    if (isWaiting || this.#waiting.size < this.#limits.maxWaiting) this.#waiting.set(key, work);
    this.#startNext();
  }

  /** Drops what waits; resolves when what is under way has ended. */
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

  /** Passes over at most as many askers as are under way. */
  #nextKey(): string | undefined {
    for (const key of this.#waiting.keys()) if (!this.#running.has(key)) return key;
    return undefined;
  }
}
