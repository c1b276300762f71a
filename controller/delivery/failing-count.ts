import type { Clock, Timer } from '../../shared/time.ts';

/** A scrape must neither wait for the database nor be what loads it. */
const COUNT_EVERY_MS = 10_000;

/** How many destinations fail, of those that this controller serves; while the database is away, the latest number known. */
export class FailingCount {
  readonly #count: () => Promise<number>;
  readonly #clock: Clock;
  #timer: Timer | null = null;
  #isCounting = false;
  #latest = 0;

  constructor(count: () => Promise<number>, clock: Clock) {
    this.#count = count;
    this.#clock = clock;
  }

  get latest(): number {
    return this.#latest;
  }

  start(): void {
    this.#timer = this.#clock.setRepeating(COUNT_EVERY_MS, () => void this.#look());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    if (this.#isCounting) return;
    this.#isCounting = true;
    try {
      this.#latest = await this.#count();
    } catch {
      // The delivery itself says in the log that it cannot reach the database.
    } finally {
      this.#isCounting = false;
    }
  }
}
