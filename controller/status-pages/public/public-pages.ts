import type { Clock } from '../../../shared/time.ts';

/** A page is put together at most once in this time, however many readers it has. */
const FRESH_MS = 1000;
/** Pages in memory, and subdomains without a page; beyond that those go that were read least recently. */
const MOST_KEPT = 1000;

interface Kept<T> {
  value: Promise<T>;
  /** When it was asked for, monotonic ms. */
  at: number;
}

/** What readers see, by subdomain, at most FRESH_MS old. Readers who come at once share one reading. */
export class PublicPages<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #read: (subdomain: string) => Promise<T>;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(clock: Pick<Clock, 'monotonic'>, read: (subdomain: string) => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Rejects as the reading does. */
  get(subdomain: string): Promise<T> {
    const at = this.#clock.monotonic();
    const seen = this.#kept.get(subdomain);
    // Last in the map: read most recently.
    this.#kept.delete(subdomain);
    const kept = seen !== undefined && at - seen.at < FRESH_MS ? seen : this.#begin(subdomain, at);
    this.#kept.set(subdomain, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return kept.value;
  }

  /** The next reader gets what is there then. */
  forget(subdomain: string): void {
    this.#kept.delete(subdomain);
  }

  #begin(subdomain: string, at: number): Kept<T> {
    const kept = { value: this.#read(subdomain), at };
    kept.value.catch(() => {
      if (this.#kept.get(subdomain) === kept) this.#kept.delete(subdomain);
    });
    return kept;
  }
}
