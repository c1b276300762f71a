import { AppError } from '../../shared/errors.ts';
import { FairQueue } from '../../shared/fair-queue.ts';
import { rateLimitExceeded } from '../http/limits/rate-limit.ts';
import { CountStore } from '../monitors/counts/count-store.ts';
import { MonitorCounts } from '../monitors/counts/counts.ts';
import { MonitorListStore } from '../monitors/list/list-store.ts';
import { MonitorStore } from '../monitors/store.ts';
import type { ControllerPorts } from './ports.ts';

/** An overview of 5,000 monitors takes some 20 MB while it is made. */
const OVERVIEWS = { maxRunning: 4, maxRunningPerKey: 2, maxWaiting: 200, maxWaitingPerKey: 50, maxWaitMs: 25_000 };
/** Each reads and replays up to tens of thousands of results. */
const SIMULATIONS = { maxRunning: 1, maxRunningPerKey: 1, maxWaiting: 50, maxWaitingPerKey: 5, maxWaitMs: 25_000 };
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
