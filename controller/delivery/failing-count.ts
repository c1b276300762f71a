import type { Clock } from '../../shared/time.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';

const COUNT_INTERVAL_MS = 10_000;

/**
 * Counts the failing destinations of this controller periodically, so that metrics scrapes do not query the
 * database. Keeps the last known number during a database outage.
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
      // The delivery service already logs database outages.
      onError: () => undefined,
    });
  }
}
