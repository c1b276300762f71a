import PQueue from 'p-queue';
import type { ActorContext, Behaviour } from '../../shared/actor/actor-ref.ts';
import { attemptDelivery, type AttemptDeps, type AttemptReport } from './attempt.ts';
import type { QueuedDelivery } from './delivery.ts';
import {
  initialQueue, nextInQueue, QUEUE_PAGE, type Pool, type QueueEffect, type QueueMessage, type QueueState,
  type QueueStep,
} from './queue-rules.ts';
import type { QueueStore } from './queue-store.ts';
import type { DeliveryStore } from './store.ts';

const MAX_CONCURRENT_PER_POOL = 256;

/**
 * Destinations that are failing or slow have their own pool, so that they cannot block the others, however
 * many of them hang. The number of active queues limits how many attempts wait.
 */
export class SendPools {
  readonly #pools: Record<Pool, PQueue> = {
    fast: new PQueue({ concurrency: MAX_CONCURRENT_PER_POOL }),
    slow: new PQueue({ concurrency: MAX_CONCURRENT_PER_POOL }),
  };
  readonly #closed = new AbortController();

  /** Runs `work` when the pool has room. Resolves to null without running it if the pools are closed. */
  async run<T>(pool: Pool, work: () => Promise<T>): Promise<T | null> {
    return this.#pools[pool].add(async () => (this.#closed.signal.aborted ? null : work()));
  }

  /** Lets running work finish but starts no more. */
  close(): void {
    this.#closed.abort();
  }
}

export interface DestinationQueueDeps {
  attempt: AttemptDeps;
  deliveries: Pick<DeliveryStore, 'pending'>;
  queues: Pick<QueueStore, 'find' | 'settle' | 'recordRecovery' | 'remove'>;
  pools: SendPools;
  /** Aborts attempts in progress when the controller stops. */
  abortSignal: AbortSignal;
  onAttempted(deliveryId: string, report: AttemptReport): void;
}

/** Sends the deliveries of one destination in order. Finishes when nothing more is due. */
export class DestinationQueue implements Behaviour<QueueMessage> {
  readonly #id: string;
  readonly #deps: DestinationQueueDeps;
  readonly #context: ActorContext<QueueMessage>;
  readonly #running = new Set<Promise<void>>();
  /** Resolves when the attempts so far are grouped. */
  #grouped: Promise<unknown> = Promise.resolve();
  #state: QueueState;

  constructor(destinationId: string, deps: DestinationQueueDeps, context: ActorContext<QueueMessage>) {
    this.#id = destinationId;
    this.#deps = deps;
    this.#context = context;
    const { state, effects } = initialQueue();
    this.#state = state;
    this.#perform(effects);
  }

  receive(message: QueueMessage): void {
    const { state, effects }: QueueStep = nextInQueue(this.#state, message, this.#context.clock.now());
    this.#state = state;
    this.#perform(effects);
    // Keep running if a wake-up is waiting.
    if (state.phase === 'idle' && this.#context.waiting === 0) this.#context.finish();
  }

  async close(): Promise<void> {
    await Promise.all(this.#running);
  }

  #perform(effects: readonly QueueEffect[]): void {
    for (const effect of effects) {
      const done = this.#carryOut(effect)
        .then(
          (message) => message && this.#context.enqueue(message),
          (error: unknown) => this.#context.fail(error),
        )
        .then(() => void this.#running.delete(done));
      this.#running.add(done);
    }
  }

  async #carryOut(effect: QueueEffect): Promise<QueueMessage | null> {
    const { attempt, queues, pools } = this.#deps;
    if (effect.kind === 'load') return attempt.runInTurn(() => this.#load());
    if (effect.kind === 'recovered') {
      await queues.recordRecovery(this.#id, effect.at);
      return null;
    }
    if (effect.kind === 'settle') {
      const { wakes, dueAt, deliveredAt, isGone } = effect;
      const isOver = isGone && dueAt === null;
      const isAccepted =
        await (isOver ? queues.remove(this.#id, wakes) : queues.settle(this.#id, wakes, dueAt, deliveredAt));
      return { kind: 'settled', isAccepted };
    }
    const outcome = await pools.run(effect.pool, () => this.#attempt(effect));
    return { kind: 'attempted', id: effect.id, outcome: outcome ?? { kind: 'again' } };
  }

  async #attempt(item: Pick<QueuedDelivery, 'id' | 'claim'>): Promise<AttemptReport['outcome']> {
    const { attempt, abortSignal, onAttempted } = this.#deps;
    const before = this.#grouped;
    let onGrouped = () => {};
    const isGrouped = new Promise<void>((resolve) => { onGrouped = resolve; });
    this.#grouped = Promise.all([before, isGrouped]);
    try {
      const report = await attemptDelivery(attempt, item, abortSignal, { before, onGrouped });
      onAttempted(item.id, report);
      return report.outcome;
    } finally {
      onGrouped();
    }
  }

  /**
   * Reads the counter first: a delivery queued between the reads makes `settle` fail, so the queue is
   * reloaded.
   */
  async #load(): Promise<QueueMessage> {
    const queue = await this.#deps.queues.find(this.#id);
    const items = await this.#deps.deliveries.pending(this.#id, QUEUE_PAGE);
    const { wakes = 0, failing_since: failingSince = null, is_gone: isGone = false } = queue ?? {};
    return { kind: 'loaded', wakes, items: items.map((item) => this.#afterClaim(item)), failingSince, isGone };
  }

  #afterClaim(item: QueuedDelivery): QueuedDelivery {
    if (!item.claim) return item;
    const freeAt = this.#context.clock.now() + this.#deps.attempt.claims.remainingMs(item.claim);
    return { ...item, readyAt: Math.max(item.readyAt, freeAt) };
  }
}
