import { AppError } from '../../shared/errors.ts';
import { FairQueue } from '../../shared/fair-queue.ts';
import { rateLimitExceeded } from '../http/rate-limit.ts';
import { CountStore } from '../monitors/counts/count-store.ts';
import { MonitorCounts } from '../monitors/counts/counts.ts';
import { MonitorListStore } from '../monitors/list/list-store.ts';
import { MonitorStore } from '../monitors/store.ts';
import type { ControllerPorts } from './ports.ts';

/** An overview of 5,000 monitors takes some 20 MB while it is made. */
const OVERVIEWS = { atOnce: 4, atOnceOfKey: 2, waiting: 200, waitingOfKey: 50, longestWaitMs: 25_000 };
/** Each reads and replays up to tens of thousands of results. */
const SIMULATIONS = { atOnce: 1, atOnceOfKey: 1, waiting: 50, waitingOfKey: 5, longestWaitMs: 25_000 };
/** For an organization with too many simulations waiting, s. */
const RETRY_AFTER_S = 5;

export type Monitors = Awaited<ReturnType<typeof openMonitors>>;

/** Monitors, their lists, and their counts, which catch up in the background. */
export async function openMonitors({ mongo: { db }, clock, log }: ControllerPorts) {
  const store = new MonitorStore(db);
  const lists = new MonitorListStore(db);
  const counts = new CountStore(db);
  await Promise.all([store, lists, counts].map((each) => each.ensureIndexes()));
  const turns = new FairQueue(clock, OVERVIEWS, () =>
    new AppError('SERVICE_UNAVAILABLE', 'Too many overviews are being read; try again in a moment'));
  const simulations = new FairQueue(clock, SIMULATIONS, (refusal) => {
    if (refusal === 'mine') return rateLimitExceeded(RETRY_AFTER_S);
    return new AppError('SERVICE_UNAVAILABLE', 'Too many policies are being simulated; try again in a moment');
  });
  return { store, lists, counts: new MonitorCounts({ store: counts, clock, log }), turns, simulations };
}
