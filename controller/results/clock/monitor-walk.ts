/** Scans in which every monitor is examined once, due or not. */
export const SCANS_PER_CYCLE = 12;
/** A scan covers at least this many entries. */
const MIN_QUOTA = 200;

/** Iterates over a changing map endlessly, a few entries at a time. */
export class MonitorWalk<T> {
  readonly #all: ReadonlyMap<string, T>;
  #rest: Iterator<[string, T]>;

  constructor(all: ReadonlyMap<string, T>) {
    this.#all = all;
    this.#rest = all.entries();
  }

  /** Entries per scan: a cycle covers every entry once; each scan covers a small map. */
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
