import { AppError } from '../../shared/errors.ts';
import { FairQueue } from '../../shared/fair-queue.ts';
import { rateLimitExceeded } from '../http/limits/rate-limit.ts';
import { MonitorCounts } from '../monitors/counts/counts.ts';
import type { ControllerPorts } from './ports.ts';

/** An overview of 5,000 monitors takes some 20 MB while it is made. */
const OVERVIEWS = { maxRunning: 4, maxRunningPerKey: 2, maxWaiting: 200, maxWaitingPerKey: 50, maxWaitMs: 25_000 };
/** Each reads and replays up to tens of thousands of results. */
const SIMULATIONS = { maxRunning: 1, maxRunningPerKey: 1, maxWaiting: 50, maxWaitingPerKey: 5, maxWaitMs: 25_000 };
/** For an organization with too many simulations waiting, s. */
const RETRY_AFTER_S = 5;

export type Monitors = ReturnType<typeof openMonitors>;

/** The counts of monitors, which catch up in the background, and the queues of what is expensive to read. */
export function openMonitors({ stores, clock, log }: ControllerPorts) {
  const turns = new FairQueue(clock, OVERVIEWS, () =>
    new AppError('SERVICE_UNAVAILABLE', 'Too many overviews are being read; try again in a moment'));
  const simulations = new FairQueue(clock, SIMULATIONS, (refusal) => {
    if (refusal === 'mine') return rateLimitExceeded(RETRY_AFTER_S);
    return new AppError('SERVICE_UNAVAILABLE', 'Too many policies are being simulated; try again in a moment');
  });
  return { counts: new MonitorCounts({ store: stores.monitorCounts, clock, log }), turns, simulations };
}
