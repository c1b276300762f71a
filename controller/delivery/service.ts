import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import { Supervisor, type ActorFigures } from '../../shared/actor/supervisor.ts';
import type { Log } from '../../shared/log.ts';
import type { ShardMap } from '../../shared/ids.ts';
import { sleep, within, type Clock } from '../../shared/time.ts';
import { findDue } from '../work/claimed-work.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { AttemptDeps, AttemptReport } from './attempt.ts';
import { DestinationQueue, type DestinationQueueDeps, SendPools } from './destination-queue.ts';
import type { QueueMessage, AttemptOutcome } from './queue-rules.ts';
import type { QueueStore } from './queue-store.ts';
import type { DeliveryStore } from './store.ts';

export interface DeliveryServiceDeps {
  attempt: Omit<AttemptDeps, 'runInTurn'>;
  deliveries: DestinationQueueDeps['deliveries'] & Pick<DeliveryStore, 'removeOlder'>;
  queues: DestinationQueueDeps['queues'] & Pick<QueueStore, 'due'>;
  /** Whether this controller serves the destinations of a shard. */
  ownsShard(shard: number): boolean;
  shardMap: ShardMap;
  /** Makes the controller that serves a shard poll now. The message may get lost. */
  notifyOwner(shard: number): void;
  clock: Clock;
  log: Log;
  peers?: Peers;
}

/**
 * Counts since startup. `resumed`: attempts after one without a recorded outcome, which may cause a
 * duplicate.
 */
export type DeliveryCounts = Record<AttemptOutcome['kind'] | 'resumed', number>;

/** Finds due deliveries whose wake-up was lost. */
const POLL_INTERVAL_MS = 1000;
/** Used while no queue is active and nothing is due before the next poll. */
const IDLE_POLL_INTERVAL_MS = 3000;
/** Longer than a database operation takes to fail. */
const POLL_TIMEOUT_MS = 6000;
/** Used while polls return full pages. */
const NEXT_PAGE_DELAY_MS = 100;
/** During a backlog, polls still run this often, to show that the database responds. */
const MAX_POLL_GAP_MS = 5000;
/** Further destinations wait in the database; the most overdue start first. */
const MAX_ACTIVE_QUEUES = 10_000;
const POLL_PAGE_SIZE = 200;
/**
 * Queues and attempts that read their start from the database at once. Outcomes are recorded without waiting,
 * because the claim expires.
 */
const MAX_CONCURRENT_STARTS = 16;
const LOG_RETENTION_MS = 400 * 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const SWEEP_PAGE_SIZE = 500;
const SWEEP_PAUSE_MS = 500;
/** The owner of this shard removes old deliveries. */
const SWEEPING_SHARD = 0;
/** Part of the shutdown time reserved for releasing claims after attempts were aborted. */
const RELEASE_MS = 1000;

/** Restarts never stop, because a database outage may last long. */
const FIRST_RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 4000;
/** Wake-ups beyond this are redundant. */
const MAILBOX_MESSAGES = 16;

/** Supervises one queue for each destination with due deliveries. */
export class DeliveryService {
  readonly #deps: DeliveryServiceDeps;
  readonly #starts = new PQueue({ concurrency: MAX_CONCURRENT_STARTS });
  readonly counts: DeliveryCounts = {
    sent: 0, retry: 0, failed: 0, dropped: 0, again: 0, lost: 0, resumed: 0,
  };
  readonly #pools = new SendPools();
  readonly #aborter = new AbortController();
  readonly #queues: Supervisor<string, QueueMessage>;
  readonly #pollTask: PeriodicTask;
  readonly #sweepTask: PeriodicTask;
  #polledAt = -Infinity;
  #failedAt = -Infinity;

  constructor(deps: DeliveryServiceDeps) {
    const { clock, log, peers, deliveries, queues } = deps;
    this.#deps = deps;
    // Every attempt in progress adds a listener.
    setMaxListeners(0, this.#aborter.signal);
    const queueDeps: DestinationQueueDeps = {
      attempt: { ...deps.attempt, runInTurn: (start) => this.#starts.add(start) }, deliveries, queues,
      pools: this.#pools, abortSignal: this.#aborter.signal,
      onAttempted: (deliveryId, report) => this.#count(deliveryId, report),
    };
    this.#queues = new Supervisor({
      kind: 'destination_queue', clock, log, random: () => deps.attempt.random(), capacity: MAILBOX_MESSAGES,
      firstDelayMs: FIRST_RESTART_DELAY_MS, maxDelayMs: MAX_RESTART_DELAY_MS,
      start: (id, context) => new DestinationQueue(id, queueDeps, context),
      onFailure: ({ name, error, restartInMs }) => {
        this.#failedAt = clock.monotonic();
        log.error({ err: error, destination_id: name, restartInMs }, 'delivery failed');
        return true;
      },
    });
    this.#pollTask = new PeriodicTask({
      clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_POLL_INTERVAL_MS, runsAtStart: true, peers,
      task: () => this.#poll(),
      onError: (error) => log.warn({ err: error }, 'could not read the deliveries that are due'),
    });
    this.#sweepTask = new PeriodicTask({
      clock, intervalMs: SWEEP_INTERVAL_MS, runsAtStart: true, task: () => this.#sweep(),
      onError: (error) => log.warn({ err: error }, 'could not remove old deliveries'),
    });
  }

  /** Number of destinations with a running queue. */
  get activeQueues(): number {
    return this.#queues.size;
  }

  /**
   * True if a poll succeeded and no queue failed within this time. Polls first if the last poll is older.
   * Failing receivers do not matter.
   */
  async hasPolled(withinMs: number): Promise<boolean> {
    const { clock } = this.#deps;
    const since = clock.monotonic() - withinMs;
    if (this.#polledAt < since) await within(clock, POLL_TIMEOUT_MS, this.#pollTask.run()).catch(() => null);
    return this.#polledAt >= since && this.#failedAt < since;
  }

  get actors(): ActorFigures {
    return this.#queues;
  }

  start(): void {
    this.#pollTask.start();
    this.#sweepTask.start();
  }

  /**
   * Starts no more attempts. Lets running ones finish until shortly before the deadline, then aborts them.
   */
  async stop(deadlineMs: number): Promise<void> {
    const { clock } = this.#deps;
    this.#pools.close();
    const abortTimer = clock.setTimer(Math.max(0, deadlineMs - RELEASE_MS), () => this.#aborter.abort());
    const ended = Promise.all([this.#pollTask.stop(), this.#sweepTask.stop(), this.#queues.stopAll()]);
    await Promise.race([ended, sleep(clock, deadlineMs)]);
    abortTimer.cancel();
  }

  /** Call when deliveries were queued. If the call is lost, a poll finds them within seconds. */
  wake(destinationIds: string[]): void {
    // Ends the idle interval, so that a poll finds their retries on time.
    this.#pollTask.triggerWithinInterval();
    const { ownsShard, shardMap } = this.#deps;
    for (const id of destinationIds.filter((one) => ownsShard(shardMap.of(one)))) {
      const queue = this.#queues.get(id);
      if (queue) queue.send({ kind: 'wake' });
      else if (this.activeQueues < MAX_ACTIVE_QUEUES) this.#queues.start(id);
    }
  }

  /** As `wake`, at whichever controllers serve the destinations. */
  readonly wakeOwners = (destinationIds: string[]): void => {
    const { ownsShard, shardMap, notifyOwner } = this.#deps;
    this.wake(destinationIds);
    for (const shard of new Set(destinationIds.map(shardMap.of))) if (!ownsShard(shard)) notifyOwner(shard);
  };

  /** Call when deliveries became due or this controller acquired shards. */
  trigger(): void {
    this.#pollTask.trigger();
  }

  async #poll(): Promise<boolean | 'idle'> {
    const { queues, ownsShard, shardMap, clock } = this.#deps;
    const shards = shardMap.all.filter(ownsShard);
    if (shards.length === 0) return false;
    if (this.activeQueues >= MAX_ACTIVE_QUEUES) {
      this.#polledAt = clock.monotonic();
      return false;
    }
    // A backlog waits in the database, not in memory.
    const isCrowded =
      this.#starts.size >= POLL_PAGE_SIZE && clock.monotonic() - this.#polledAt < MAX_POLL_GAP_MS;
    if (!isCrowded) {
      // Active destinations may still be listed as due, so read more than a page to see the others.
      const limit = POLL_PAGE_SIZE + this.activeQueues;
      const store = { due: (until: number, max: number) => queues.due(shards, until, max) };
      const { free, next } = await findDue({ clock, store }, limit);
      this.#polledAt = clock.monotonic();
      if (next === 'idle' && this.activeQueues === 0) return 'idle';
      for (const { id } of free) if (this.activeQueues < MAX_ACTIVE_QUEUES) this.#queues.start(id);
      if (next !== true) return false;
    }
    await sleep(clock, NEXT_PAGE_DELAY_MS);
    return true;
  }

  #count(deliveryId: string, { outcome, isResumed }: AttemptReport): void {
    this.counts[outcome.kind] += 1;
    if (!isResumed) return;
    this.counts.resumed += 1;
    this.#deps.log.warn(
      { delivery_id: deliveryId },
      'resumed a delivery whose last attempt has no recorded outcome; the receiver may get it twice',
    );
  }

  async #sweep(): Promise<boolean> {
    const { deliveries, ownsShard, clock } = this.#deps;
    if (!ownsShard(SWEEPING_SHARD)) return false;
    const removed = await deliveries.removeOlder(clock.now() - LOG_RETENTION_MS, SWEEP_PAGE_SIZE);
    if (removed < SWEEP_PAGE_SIZE) return false;
    // Pause between pages, so that deliveries are not held up.
    await sleep(clock, SWEEP_PAUSE_MS);
    return true;
  }
}
