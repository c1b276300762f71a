/** Goes through a map again and again, a few entries at a time; what is added or removed meanwhile is met or left out. */
export class MonitorWalk<T> {
  readonly #all: ReadonlyMap<string, T>;
  readonly #cycleRounds: number;
  #rest: Iterator<[string, T]>;

  /** @param cycleRounds in so many rounds of `quota` entries each everything is met once */
  constructor(all: ReadonlyMap<string, T>, cycleRounds: number) {
    this.#all = all;
    this.#cycleRounds = cycleRounds;
    this.#rest = all.entries();
  }

  /** Entries of one round: a small map is gone through in each. */
  get quota(): number {
    return Math.max(SMALL, Math.ceil(this.#all.size / this.#cycleRounds));
  }

  /** The next entry; null once where a cycle ends. */
  next(): [string, T] | null {
    const step = this.#rest.next();
    if (step.done !== true) return step.value;
    this.#rest = this.#all.entries();
    return null;
  }
}

const SMALL = 200;
