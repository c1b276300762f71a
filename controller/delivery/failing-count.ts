import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';

/** A scrape must neither wait for the database nor be what loads it. */
const COUNT_EVERY_MS = 10_000;

/** How many destinations fail, of those that this controller serves; while the database is away, the latest number known. */
export class FailingCount {
  readonly #rounds: Rounds;
  #latest = 0;

  constructor(count: () => Promise<number>, clock: Clock) {
    this.#rounds = new Rounds({
      clock, everyMs: COUNT_EVERY_MS,
      round: async () => {
        this.#latest = await count();
        return false;
      },
      // The delivery itself says in the log that it cannot reach the database.
      onFailed: () => undefined,
    });
  }

  get latest(): number {
    return this.#latest;
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }
}
