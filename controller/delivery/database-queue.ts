import type PQueue from 'p-queue';
import type { AttemptDeps } from './attempt.ts';
import type { DestinationQueueDeps } from './destination-queue.ts';

/**
 * Of the database connections that the whole controller shares, this many at most, so that a backlog starves
 * nobody.
 */
export const MAX_DATABASE_CALLS = 16;

type Stores = Pick<DestinationQueueDeps, 'attempt' | 'pending' | 'queues'>;
export type UnqueuedStores = Omit<Stores, 'attempt'> & { attempt: Omit<AttemptDeps, 'runInTurn'> };

/**
 * The same stores, each call in its turn. What ends something goes before what begins something: a delivery
 * that was sent has to be written down within its claim.
 */
export function queueDatabaseCalls(
  { attempt, pending, queues }: UnqueuedStores, databaseQueue: PQueue,
): Stores {
  const atPriority = <A extends unknown[], R>(priority: number, work: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => databaseQueue.add(() => work(...args), { priority });
  const atLowPriority = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => atPriority(0, work);
  const atHighPriority = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => atPriority(1, work);
  const { deliveries, digests, health, destinations, incidents, suppressions } = attempt;
  return {
    pending: atLowPriority(pending),
    queues: {
      find: atLowPriority((id) => queues.find(id)),
      settle: atHighPriority((...args) => queues.settle(...args)),
      recordRecovery: atHighPriority((...args) => queues.recordRecovery(...args)),
      remove: atHighPriority((...args) => queues.remove(...args)),
    },
    attempt: {
      ...attempt,
      runInTurn: (work) => atLowPriority(work)(),
      deliveries: {
        claim: (...args) => deliveries.claim(...args),
        settle: atHighPriority((...args) => deliveries.settle(...args)),
        release: atHighPriority((...args) => deliveries.release(...args)),
        ofDigest: atHighPriority((id) => deliveries.ofDigest(id)),
        settleAll: atHighPriority((...args) => deliveries.settleAll(...args)),
      },
      digests: {
        claim: atHighPriority((...args) => digests.claim(...args)),
        release: atHighPriority((...args) => digests.release(...args)),
      },
      health: {
        recordFailure: atHighPriority((...args) => health.recordFailure(...args)),
        recordReached: atHighPriority((...args) => health.recordReached(...args)),
      },
      // Between its claim and its sending a try has little time.
      destinations: { findById: atHighPriority((id) => destinations.findById(id)) },
      suppressions: { isStopped: atHighPriority((...args) => suppressions.isStopped(...args)) },
      incidents: { markNotified: atHighPriority((...args) => incidents.markNotified(...args)) },
    },
  };
}
