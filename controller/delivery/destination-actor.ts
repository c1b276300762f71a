import type { ActorDefinition } from '../../shared/actor/actor.ts';
import { attemptDelivery, type AttemptDeps, type Tried } from './attempt.ts';
import type { QueuedDelivery } from './delivery.ts';
import type { Lanes } from './lanes.ts';
import { initialQueue, nextInQueue, QUEUE_PAGE, TRIES_AT_ONCE, type QueueEffect, type QueueMessage, type QueueState } from './queue-rules.ts';
import type { QueueDoc } from './queue-store.ts';

export interface DestinationActorDeps {
  attempt: AttemptDeps;
  pending(destinationId: string, limit: number): Promise<QueuedDelivery[]>;
  queues: {
    find(id: string): Promise<QueueDoc | null>;
    settle(id: string, wakes: number, dueAt: number | null, deliveredAt: number | null): Promise<boolean>;
    noteRecovery(id: string, now: number): Promise<void>;
    remove(id: string, wakes: number): Promise<boolean>;
  };
  lanes: Lanes;
  onTried(deliveryId: string, tried: Tried): void;
  /** All that is due is done; `calls` is how many times it was woken. */
  onRest(destinationId: string, calls: number): void;
}

/** The deliveries of one destination. A wake-up more while some wait says nothing new, so those are dropped. */
export function destinationActor(destinationId: string, deps: DestinationActorDeps): ActorDefinition<QueueState, QueueMessage, QueueEffect> {
  return {
    initial: initialQueue,
    transition: nextInQueue,
    mailbox: { capacity: 16, overflow: 'reject' },
    effectsAtOnce: TRIES_AT_ONCE,
    async perform(effect, context): Promise<QueueMessage | void> {
      if (effect.kind === 'load') return load(destinationId, deps);
      if (effect.kind === 'rest') return deps.onRest(destinationId, effect.calls);
      if (effect.kind === 'settle') {
        const { wakes, dueAt, deliveredAt, isGone } = effect;
        const { queues } = deps;
        const isAccepted = await (isGone && dueAt === null ? queues.remove(destinationId, wakes) : queues.settle(destinationId, wakes, dueAt, deliveredAt));
        return { kind: 'settled', isAccepted };
      }
      if (effect.kind === 'recovered') return deps.queues.noteRecovery(destinationId, effect.at);
      const leave = await deps.lanes.enter(effect.lane);
      if (leave === null) return { kind: 'tried', id: effect.id, end: { kind: 'again' } };
      try {
        const tried = await attemptDelivery(deps.attempt, effect.id, context.signal);
        deps.onTried(effect.id, tried);
        return { kind: 'tried', id: effect.id, end: tried.end };
      } finally {
        leave();
      }
    },
  };
}

/** The counter first: what is queued between the two reads makes the settling fail, and the queue is read again. */
async function load(destinationId: string, deps: DestinationActorDeps): Promise<QueueMessage> {
  const queue = await deps.queues.find(destinationId);
  const items = await deps.pending(destinationId, QUEUE_PAGE);
  return { kind: 'loaded', wakes: queue?.wakes ?? 0, items, failingSince: queue?.failing_since ?? null, isGone: queue?.is_gone ?? false };
}
