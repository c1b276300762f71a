import type { Clock } from '../../../../shared/time.ts';

/** Each value is read at most once in this time. */
const CACHE_TTL_MS = 1000;
/** Above that, evicts the least recently used. */
const MAX_ENTRIES = 1000;

interface CachedRead<T> {
  value: Promise<T>;
  /** When it was requested, monotonic ms. */
  at: number;
}

/** Caches values by name for CACHE_TTL_MS. Simultaneous requests share one read. */
export class ReadCache<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #read: (name: string) => Promise<T>;
  readonly #entries = new Map<string, CachedRead<T>>();

  constructor(clock: Pick<Clock, 'monotonic'>, read: (name: string) => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Rejects with the read's error. */
  get(name: string): Promise<T> {
    const at = this.#clock.monotonic();
    const seen = this.#entries.get(name);
    // Moves the entry to the end of the map: most recently used.
    this.#entries.delete(name);
    const entry = seen !== undefined && at - seen.at < CACHE_TTL_MS ? seen : this.#startRead(name, at);
    this.#entries.set(name, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    return entry.value;
  }

  #startRead(name: string, at: number): CachedRead<T> {
    const entry = { value: this.#read(name), at };
    entry.value.catch(() => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    });
    return entry;
  }
}
