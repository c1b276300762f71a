import type { AttemptDeps } from './attempt.ts';
import type { DestinationActorDeps } from './destination-actor.ts';
import type { Turns } from './turns.ts';

type Stores = Pick<DestinationActorDeps, 'attempt' | 'pending' | 'queues'>;
/** As they are given: nothing of them waits for a turn. */
export type UnorderedStores = Omit<Stores, 'attempt'> & { attempt: Omit<AttemptDeps, 'begin'> };

/** The same stores, each call in its turn. */
export function inTurns({ attempt, pending, queues }: UnorderedStores, turns: Turns): Stores {
  const begin = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => (...args: A) => turns.take('begin', () => work(...args));
  const end = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => (...args: A) => turns.take('end', () => work(...args));
  const { deliveries, health, destinations, incidents } = attempt;
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
      begin: (work) => turns.take('begin', work),
      deliveries: {
        claim: (...args) => deliveries.claim(...args),
        settle: end((...args) => deliveries.settle(...args)),
        release: end((...args) => deliveries.release(...args)),
      },
      health: { noteFailure: end((...args) => health.noteFailure(...args)), noteReached: end((...args) => health.noteReached(...args)) },
      // Between its claim and its sending a try has little time.
      destinations: { findById: end((id) => destinations.findById(id)) },
      incidents: { markNotified: end((...args) => incidents.markNotified(...args)) },
    },
  };
}
