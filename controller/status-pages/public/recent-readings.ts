import type { Clock } from '../../../shared/time.ts';

/** Something is read at most once in this time, however many ask for it. */
const FRESH_MS = 1000;
/** Beyond that those go that were asked for least recently. */
const MOST_KEPT = 1000;

interface Kept<T> {
  value: Promise<T>;
  /** When it was asked for, monotonic ms. */
  at: number;
}

/** What was read by a name, at most FRESH_MS old. Those who ask at once share one reading. */
export class RecentReadings<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #read: (name: string) => Promise<T>;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(clock: Pick<Clock, 'monotonic'>, read: (name: string) => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Rejects as the reading does. */
  get(name: string): Promise<T> {
    const at = this.#clock.monotonic();
    const seen = this.#kept.get(name);
    // Last in the map: read most recently.
    this.#kept.delete(name);
    const kept = seen !== undefined && at - seen.at < FRESH_MS ? seen : this.#begin(name, at);
    this.#kept.set(name, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return kept.value;
  }

  #begin(name: string, at: number): Kept<T> {
    const kept = { value: this.#read(name), at };
    kept.value.catch(() => {
      if (this.#kept.get(name) === kept) this.#kept.delete(name);
    });
    return kept;
  }
}
