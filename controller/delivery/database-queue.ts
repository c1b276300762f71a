import type PQueue from 'p-queue';
import type { AttemptDeps } from './attempt.ts';
import type { DestinationQueueDeps } from './destination-queue.ts';

/** Leaves most of the controller's shared database connections free during a backlog. */
export const MAX_DATABASE_CALLS = 16;

type Stores = Pick<DestinationQueueDeps, 'attempt' | 'pending' | 'queues'>;
export type UnqueuedStores = Omit<Stores, 'attempt'> & { attempt: Omit<AttemptDeps, 'runInTurn'> };

/**
 * Wraps the stores so that calls share a queue. Calls that finish an attempt go before calls that start one,
 * because the outcome must be recorded before the claim expires.
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
      // High priority, because an attempt must send soon after its claim.
      destinations: { findById: atHighPriority((id) => destinations.findById(id)) },
      suppressions: { isStopped: atHighPriority((...args) => suppressions.isStopped(...args)) },
      incidents: { markNotified: atHighPriority((...args) => incidents.markNotified(...args)) },
    },
  };
}
