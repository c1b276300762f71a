import type { Peers } from '../../shared/peers.ts';
import { PeriodicTask } from '../../shared/periodic-task.ts';
import type { Clock } from '../../shared/time.ts';

const COUNT_INTERVAL_MS = 10_000;

/**
 * The number of failing destinations that this controller serves, counted in rounds so that a scrape neither
 * waits for the database nor loads it. While the database is away, the last known number.
 */
export class FailingCount extends PeriodicTask {
  latest = 0;

  constructor(count: () => Promise<number>, clock: Clock, peers?: Peers) {
    super({
      clock,
      intervalMs: COUNT_INTERVAL_MS,
      idleIntervalMs: COUNT_INTERVAL_MS,
      peers,
      task: async () => {
        this.latest = await count();
        return this.latest === 0 ? 'idle' : false;
      },
      // Deliveries already log that the database is away.
      onError: () => undefined,
    });
  }
}
