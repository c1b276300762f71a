/** Rounds in which every monitor is examined once, due or not. */
export const SCANS_PER_CYCLE = 12;
/** A round covers at least this many entries. */
const MIN_QUOTA = 200;

/** Goes through a map again and again, a few entries at a time, while entries are added and removed. */
export class MonitorWalk<T> {
  readonly #all: ReadonlyMap<string, T>;
  #rest: Iterator<[string, T]>;

  constructor(all: ReadonlyMap<string, T>) {
    this.#all = all;
    this.#rest = all.entries();
  }

  /** Entries per round: a cycle covers every entry once; a small map is covered in each round. */
  get quota(): number {
    return Math.max(MIN_QUOTA, Math.ceil(this.#all.size / SCANS_PER_CYCLE));
  }

  /** The next entry; null once at the end of each cycle. */
  next(): [string, T] | null {
    const step = this.#rest.next();
    if (step.done !== true) return step.value;
    this.#rest = this.#all.entries();
    return null;
  }
}
