import type PQueue from 'p-queue';
import type { AttemptDeps } from './attempt.ts';
import type { DestinationQueueDeps } from './destination-queue.ts';

/**
 * Of the database connections that the whole controller shares, this many at most, so that a backlog starves
 * nobody.
 */
export const DATABASE_TURNS = 16;

type Stores = Pick<DestinationQueueDeps, 'attempt' | 'pending' | 'queues'>;
export type UnorderedStores = Omit<Stores, 'attempt'> & { attempt: Omit<AttemptDeps, 'begin'> };

/**
 * The same stores, each call in its turn. What ends something goes before what begins something: a delivery
 * that was sent has to be written down within its claim.
 */
export function inTurns({ attempt, pending, queues }: UnorderedStores, turns: PQueue): Stores {
  const take = <A extends unknown[], R>(priority: number, work: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => turns.add(() => work(...args), { priority });
  const begin = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => take(0, work);
  const end = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => take(1, work);
  const { deliveries, digests, health, destinations, incidents, suppressions } = attempt;
  return {
    pending: begin(pending),
    queues: {
      find: begin((id) => queues.find(id)),
      settle: end((...args) => queues.settle(...args)),
      noteRecovery: end((...args) => queues.noteRecovery(...args)),
      remove: end((...args) => queues.remove(...args)),
    },
    attempt: {
      ...attempt,
      begin: (work) => begin(work)(),
      deliveries: {
        claim: (...args) => deliveries.claim(...args),
        settle: end((...args) => deliveries.settle(...args)),
        release: end((...args) => deliveries.release(...args)),
        ofDigest: end((id) => deliveries.ofDigest(id)),
        settleAll: end((...args) => deliveries.settleAll(...args)),
      },
      digests: {
        claim: end((...args) => digests.claim(...args)),
        release: end((...args) => digests.release(...args)),
      },
      health: {
        noteFailure: end((...args) => health.noteFailure(...args)),
        noteReached: end((...args) => health.noteReached(...args)),
      },
      // Between its claim and its sending a try has little time.
      destinations: { findById: end((id) => destinations.findById(id)) },
      suppressions: { isStopped: end((...args) => suppressions.isStopped(...args)) },
      incidents: { markNotified: end((...args) => incidents.markNotified(...args)) },
    },
  };
}
