import type { Company } from '../../shared/company.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';

const COUNT_EVERY_MS = 10_000;

/**
 * The number of failing destinations that this controller serves, counted in rounds so that a scrape neither
 * waits for the database nor loads it. While the database is away, the last known number.
 */
export class FailingCount extends Rounds {
  latest = 0;

  constructor(count: () => Promise<number>, clock: Clock, company?: Company) {
    super({
      clock,
      everyMs: COUNT_EVERY_MS,
      quietMs: COUNT_EVERY_MS,
      company,
      round: async () => {
        this.latest = await count();
        return this.latest === 0 ? 'quiet' : false;
      },
      // Deliveries already log that the database is away.
      onFailed: () => undefined,
    });
  }
}
