/** Rounds in which every monitor is looked at once, due or not. */
export const CYCLE_ROUNDS = 12;
/** Entries of one round at least. */
const SMALL = 200;

/** Goes through a map again and again, a few entries at a time; what is added or removed meanwhile is met or left out. */
export class MonitorWalk<T> {
  readonly #all: ReadonlyMap<string, T>;
  #rest: Iterator<[string, T]>;

  constructor(all: ReadonlyMap<string, T>) {
    this.#all = all;
    this.#rest = all.entries();
  }

  /** Entries of one round: within a cycle everything is met once, in a small map in each round. */
  get quota(): number {
    return Math.max(SMALL, Math.ceil(this.#all.size / CYCLE_ROUNDS));
  }

  /** The next entry; null once where a cycle ends. */
  next(): [string, T] | null {
    const step = this.#rest.next();
    if (step.done !== true) return step.value;
    this.#rest = this.#all.entries();
    return null;
  }
}
