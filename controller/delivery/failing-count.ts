import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';

const COUNT_EVERY_MS = 10_000;

/**
 * The number of failing destinations that this controller serves, counted in rounds so that a scrape neither
 * waits for the database nor loads it. While the database is away, the last known number.
 */
export class FailingCount extends Rounds {
  latest = 0;

  constructor(count: () => Promise<number>, clock: Clock) {
    super({
      clock,
      everyMs: COUNT_EVERY_MS,
      round: async () => {
        this.latest = await count();
        return false;
      },
      // Deliveries already log that the database is away.
      onFailed: () => undefined,
    });
  }
}
