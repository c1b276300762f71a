import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import { Supervisor } from '../../shared/actor/supervisor.ts';
import type { Company } from '../../shared/company.ts';
import { SHARD_COUNT, shardOf } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { ALONE_MS, Rounds } from '../../shared/rounds.ts';
import { sleep, within, type Clock } from '../../shared/time.ts';
import type { Tried } from './attempt.ts';
import { DATABASE_TURNS, inTurns, type UnorderedStores } from './database-turns.ts';
import { DestinationQueue, type DestinationQueueDeps } from './destination-queue.ts';
import type { QueueMessage, TryEnd } from './queue-rules.ts';
import type { QueueStore } from './queue-store.ts';
import { SendPools } from './send-pools.ts';
import type { DeliveryStore } from './store.ts';

export interface DeliveryServiceDeps extends UnorderedStores {
  due: QueueStore['due'];
  removeOlder: DeliveryStore['removeOlder'];
  /** True when this controller serves the destinations of a shard. */
  ownsShard(shard: number): boolean;
  clock: Clock;
  log: Log;
  company?: Company;
}

/**
 * Counts since the start. `resumed`: attempts after one that never reported, so the receiver may get the
 * alert twice.
 */
export type DeliveryCounts = Record<TryEnd['kind'] | 'resumed', number>;

/** How often to look for due deliveries in case a wake-up was lost. */
const LOOK_EVERY_MS = 1000;
/** While nothing is at work or due before the next look. */
const QUIET_MS = 3000;
/** Longer than an operation at the database takes to fail. */
const LOOK_WITHIN_MS = 6000;
/** While a look finds a full page. */
const LOOK_AGAIN_MS = 100;
const LOOK_AT_LEAST_EVERY_MS = 5000;
/** Limit of queues at work; further destinations wait in the database, most overdue first. */
const MOST_AT_WORK = 10_000;
const LOOK_PAGE = 200;
/** How long the notification log is kept. */
const KEPT_MS = 400 * 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_PAGE = 500;
const SWEEP_PAUSE_MS = 500;
/** The controller that has this shard removes old deliveries. */
const SWEEPING_SHARD = 0;
/** Part of the time to stop that is reserved for releasing claims after attempts were aborted. */
const RELEASE_MS = 1000;

/** The database may be away for long, so restarts never end. */
const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 15_000;
/** Further wake-ups while some wait say nothing new. */
const MAILBOX_MESSAGES = 16;

/** Sends what is due: supervises a queue for each destination that has something to send. */
export class DeliveryService {
  readonly #deps: DeliveryServiceDeps;
  readonly #turns = new PQueue({ concurrency: DATABASE_TURNS });
  readonly counts: DeliveryCounts = {
    sent: 0, retry: 0, failed: 0, dropped: 0, again: 0, lost: 0, resumed: 0,
  };
  readonly #pools = new SendPools();
  readonly #breakOff = new AbortController();
  readonly #queues: Supervisor<string, QueueMessage>;
  readonly #looks: Rounds;
  readonly #sweeps: Rounds;
  #lookedAt = -Infinity;
  #failedAt = -Infinity;

  constructor(deps: DeliveryServiceDeps) {
    const { clock, log, company } = deps;
    this.#deps = deps;
    // Every attempt under way listens to it.
    setMaxListeners(0, this.#breakOff.signal);
    const queueDeps: DestinationQueueDeps = {
      ...inTurns(deps, this.#turns), pools: this.#pools, breakOff: this.#breakOff.signal,
      onTried: (deliveryId, tried) => this.#count(deliveryId, tried),
    };
    this.#queues = new Supervisor({
      clock, capacity: MAILBOX_MESSAGES, firstDelayMs: FIRST_RESTART_MS, maxDelayMs: LONGEST_RESTART_MS,
      start: (id, context) => new DestinationQueue(id, queueDeps, context),
      onFailure: ({ name, error, restartInMs }) => {
        this.#failedAt = clock.monotonic();
        log.error({ err: error, destination_id: name, restartInMs }, 'delivery failed');
        return true;
      },
    });
    this.#looks = new Rounds({
      clock, everyMs: LOOK_EVERY_MS, quietMs: QUIET_MS, company, round: () => this.#look(),
      onFailed: (error) => log.warn({ err: error }, 'could not read the deliveries that are due'),
    });
    this.#sweeps = new Rounds({
      clock, everyMs: SWEEP_EVERY_MS, round: () => this.#sweep(),
      onFailed: (error) => log.warn({ err: error }, 'could not remove old deliveries'),
    });
  }

  /** Destinations with something under way. */
  get atWork(): number {
    return this.#queues.size;
  }

  /**
   * True when due deliveries were found within this time and no queue failed; looks for them if the last look
   * is longer ago. Failing receivers do not count.
   */
  async hasWorked(withinMs: number): Promise<boolean> {
    const { clock } = this.#deps;
    const since = clock.monotonic() - withinMs;
    if (this.#lookedAt < since) await within(clock, LOOK_WITHIN_MS, this.#looks.run()).catch(() => null);
    return this.#lookedAt >= since && this.#failedAt < since;
  }

  start(): void {
    this.#looks.start();
    this.#sweeps.start();
    this.#looks.look();
    this.#sweeps.look();
  }

  /** Starts no more attempts, lets those under way end until the deadline, then aborts them. */
  async stop(deadlineMs: number): Promise<void> {
    const { clock } = this.#deps;
    this.#pools.close();
    const breakOff = clock.setTimer(Math.max(0, deadlineMs - RELEASE_MS), () => this.#breakOff.abort());
    const ended = Promise.all([this.#looks.stop(), this.#sweeps.stop(), this.#queues.stopAll()]);
    await Promise.race([ended, sleep(clock, deadlineMs)]);
    breakOff.cancel();
  }

  /** Something was queued for these destinations. If this call is lost, they are found within seconds. */
  wake(destinationIds: string[]): void {
    // What their queues postpone has to be found on time, also while the poll for due deliveries is idle.
    this.#looks.soon();
    for (const id of destinationIds.filter((one) => this.#deps.ownsShard(shardOf(one)))) {
      const queue = this.#queues.get(id);
      if (queue) queue.send({ kind: 'wake' });
      else if (this.atWork < MOST_AT_WORK) this.#queues.start(id);
    }
  }

  /** Something is due, or this controller has more shards than before. */
  poke(): void {
    this.#looks.look();
  }

  async #look(): Promise<boolean | 'quiet'> {
    const { due, ownsShard, clock } = this.#deps;
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter(ownsShard);
    if (shards.length === 0) return false;
    if (this.atWork >= MOST_AT_WORK) {
      this.#lookedAt = clock.monotonic();
      return false;
    }
    // A backlog waits in the database, not here; looking at it now and then shows that the database answers.
    const isCrowded =
      this.#turns.size >= LOOK_PAGE && clock.monotonic() - this.#lookedAt < LOOK_AT_LEAST_EVERY_MS;
    if (!isCrowded) {
      // Destinations at work may still be due; the larger limit keeps them from hiding others.
      const limit = LOOK_PAGE + this.atWork;
      const now = clock.now();
      const found = await due(shards, now + ALONE_MS, limit);
      this.#lookedAt = clock.monotonic();
      if (found.length === 0 && this.atWork === 0) return 'quiet';
      const overdue = found.filter(({ at }) => at <= now);
      for (const { id } of overdue) if (this.atWork < MOST_AT_WORK) this.#queues.start(id);
      if (overdue.length < limit) return false;
    }
    await sleep(clock, LOOK_AGAIN_MS);
    return true;
  }

  #count(deliveryId: string, { end, isResumed }: Tried): void {
    this.counts[end.kind] += 1;
    if (!isResumed) return;
    this.counts.resumed += 1;
    this.#deps.log.warn(
      { delivery_id: deliveryId },
      'resumed a delivery whose last attempt has no recorded outcome; the receiver may get it twice',
    );
  }

  async #sweep(): Promise<boolean> {
    const { removeOlder, ownsShard, clock } = this.#deps;
    if (!ownsShard(SWEEPING_SHARD)) return false;
    const removed = await removeOlder(clock.now() - KEPT_MS, SWEEP_PAGE);
    if (removed < SWEEP_PAGE) return false;
    // One page at a time, so that no delivery waits behind it.
    await sleep(clock, SWEEP_PAUSE_MS);
    return true;
  }
}
