type Work = () => Promise<void>;

interface Limits {
  atOnce: number;
  /** Askers that may wait. */
  longest: number;
}

/**
 * Does work for many askers: one piece at a time for each of them, in turn, and a few at once in all. What an
 * asker sends replaces what it still has waiting.
 */
export class ReplacingQueue {
  readonly #limits: Limits;
  /** In order of their turn. An asker that has been served goes to the end. */
  readonly #waiting = new Map<string, Work>();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Pieces dropped since the start: their asker sent a newer one, or too many others waited. */
  dropped = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** `work` must not reject. It replaces what still waits for the same asker, and keeps its turn. */
  put(asker: string, work: Work): void {
    const hasTurn = this.#waiting.has(asker);
    if (hasTurn || this.#waiting.size >= this.#limits.longest) this.dropped += 1;
    if (hasTurn || this.#waiting.size < this.#limits.longest) this.#waiting.set(asker, work);
    this.#begin();
  }

  /** Drops what waits; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#underWay.values());
  }

  #begin(): void {
    while (this.#underWay.size < this.#limits.atOnce) {
      const next = this.#nextAsker();
      if (next === undefined) return;
      const work = this.#waiting.get(next) as Work;
      this.#waiting.delete(next);
      this.#underWay.set(next, work().then(() => {
        this.#underWay.delete(next);
        this.#begin();
      }));
    }
  }

  /** Passes over at most as many askers as are under way. */
  #nextAsker(): string | undefined {
    for (const asker of this.#waiting.keys()) if (!this.#underWay.has(asker)) return asker;
    return undefined;
  }
}
