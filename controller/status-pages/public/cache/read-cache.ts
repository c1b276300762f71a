import type { Clock } from '../../../../shared/time.ts';

/** Something is read at most once in this time, however many ask for it. */
const CACHE_TTL_MS = 1000;
/** Beyond that those go that were asked for least recently. */
const MAX_ENTRIES = 1000;

interface CachedRead<T> {
  value: Promise<T>;
  /** When it was asked for, monotonic ms. */
  at: number;
}

/** What was read by a name, at most FRESH_MS old. Those who ask at once share one reading. */
export class ReadCache<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #read: (name: string) => Promise<T>;
  readonly #entries = new Map<string, CachedRead<T>>();

  constructor(clock: Pick<Clock, 'monotonic'>, read: (name: string) => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Rejects as the reading does. */
  get(name: string): Promise<T> {
    const at = this.#clock.monotonic();
    const seen = this.#entries.get(name);
    // Last in the map: read most recently.
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
