import PQueue from 'p-queue';
import type { ActorRef } from '../../../shared/actor/actor-ref.ts';
import { Supervisor, type ActorFigures, type Failure } from '../../../shared/actor/supervisor.ts';
import { isDatabaseUnavailable } from '../../platform/mongo/mongo-errors.ts';
import { IgnoredMessages } from '../../probes/ignored-messages.ts';
import { ProbeRate } from '../../probes/probe-rate.ts';
import { ClockScanner } from '../clock/clock-scanner.ts';
import { DeadLetterBox } from '../dead-letters/dead-letter-box.ts';
import type { DeadLetterStore } from '../dead-letters/dead-letter-store.ts';
import { LostLanes } from '../dead-letters/lost-lanes.ts';
import type { TakenMessage } from '../intake/take-limits.ts';
import { CHECKPOINT_RESULTS } from './checkpointer.ts';
import { JournalWriter } from './journal-writer.ts';
import { Shard } from './shard.ts';
import {
  NewerFormatError, OvertakenError, PoisonEntryError, type ShardMessage, type ShardSummary,
} from './shard-message.ts';
import type { IngestCounts, ShardDeps, ShardStores } from './shard-parts.ts';

const MIN_RESTART_DELAY_MS = 200;
const MAX_RESTART_DELAY_MS = 5000;
/**
 * Shards loaded at once. Each takes results when it is loaded, so with few at once, most are ready earlier;
 * with one, it would wait for the database.
 */
const MAX_CONCURRENT_LOADS = 2;
/** Queue limit per shard: several times what its probes send while an entry is applied. */
const MAILBOX_MESSAGES = 10_000;

export interface ShardsDeps extends Pick<ShardDeps, 'clock' | 'log' | 'limits' | 'listeners'> {
  stores: ShardStores & { deadLetters: Pick<DeadLetterStore, 'add'> };
  random: () => number;
  /** Identifies this start of the controller. With a number appended, it is the writer of journal entries. */
  instance: string;
  /** Whether we still own the shard. Called after it failed. */
  holdsLease(shard: number): boolean;
  /** Gives up a shard whose journal needs a later version. */
  surrender(shard: number): void;
  /** Results from one checkpoint of a shard to the next; CHECKPOINT_RESULTS by default. */
  checkpointResults?: number;
  /** Called when a shard starts or stops taking messages. */
  onStarted(shard: number): void;
  onEnded(shard: number): void;
}

/** The local shards: supervises an actor for each and routes its messages. */
export class Shards {
  readonly counts: IngestCounts = {
    entries: 0, results: 0, missed_checks: 0, voided: 0, insert_failures: 0, listener_failures: 0,
    set_aside: 0,
  };
  readonly deadLetters: DeadLetterBox;
  readonly lostLanes: LostLanes;
  readonly rate: ProbeRate;
  /** Batches whose subject has a region unknown to this controller. */
  readonly unknownRegions: IgnoredMessages;
  readonly #deps: ShardsDeps;
  readonly #journal: JournalWriter;
  readonly #scanner: ClockScanner;
  readonly #supervisor: Supervisor<number, ShardMessage>;
  /** As the loaded shards published them. */
  readonly #summaries = new Map<number, ShardSummary>();
  /** Entries, as `<shard>:<n>`, that crashed the instance that loaded them. */
  readonly #poison = new Set<string>();
  /** Failed shards of this controller, which take no results. */
  readonly #failing = new Set<number>();
  readonly #loads = new PQueue({ concurrency: MAX_CONCURRENT_LOADS });
  #lives = 0;

  constructor(deps: ShardsDeps) {
    const { clock, log, random, stores } = deps;
    this.#deps = deps;
    this.rate = new ProbeRate({ clock, log, subject: 'results' });
    this.unknownRegions = new IgnoredMessages({ clock, log, reason: 'results came from an unknown region' });
    this.deadLetters = new DeadLetterBox({ store: stores.deadLetters, clock, log });
    this.lostLanes = new LostLanes({ clock, log, deadLetters: this.deadLetters });
    this.#journal = new JournalWriter({
      clock, log, stores, deadLetters: this.deadLetters, onInsertFailed: () => this.#failed(),
    });
    this.#scanner = new ClockScanner({ clock, shards: this });
    this.#supervisor = new Supervisor({
      kind: 'shard', clock, log, random, capacity: MAILBOX_MESSAGES,
      firstDelayMs: MIN_RESTART_DELAY_MS, maxDelayMs: MAX_RESTART_DELAY_MS,
      start: (shard, context) => {
        const { limits, listeners, checkpointResults = CHECKPOINT_RESULTS } = deps;
        const { counts, deadLetters, lostLanes, unknownRegions } = this;
        const writer = `${deps.instance}:${(this.#lives += 1)}`;
        const journal = this.#journal;
        context.signal.addEventListener('abort', () => this.#summaries.delete(shard));
        return this.#loads.add(() => Shard.load(
          shard, writer, {
            clock, log, stores, limits, listeners, journal, deadLetters, lostLanes,
            unknownRegions, counts, checkpointResults,
            untilLoaded: () => this.#loads.onIdle(),
            isPoison: (n) => this.#poison.has(`${shard}:${n}`),
            publish: (summary) => {
              if (!context.signal.aborted) this.#summaries.set(shard, summary);
            },
          }, context,
        ), { signal: context.signal });
      },
      onFailure: (failure) => this.#mayRestart(failure),
      onStarted: (shard) => {
        this.#failing.delete(shard);
        deps.onStarted(shard);
      },
      onEnded: (shard) => deps.onEnded(shard),
    });
  }

  /** Shards of this controller that failed and take no results until they are reloaded. */
  get failing(): number {
    return this.#failing.size;
  }

  get actors(): ActorFigures {
    return this.#supervisor;
  }

  /** The loaded shards. */
  get loaded(): number[] {
    return [...this.#summaries.keys()];
  }

  get summaries(): ReadonlyMap<number, ShardSummary> {
    return this.#summaries;
  }

  start(): void {
    this.#scanner.start();
  }

  /** Loads a shard and starts taking its results. Retries until it is loaded or released. */
  acquire(shard: number): void {
    this.#supervisor.start(shard);
  }

  /** Stops taking a shard's results at once; resolves when its outstanding writes are done. */
  release(shard: number): Promise<void> {
    this.#failing.delete(shard);
    return this.#supervisor.stop(shard);
  }

  /** The current instance of a loaded shard; undefined if it is not local. */
  get(shard: number): ActorRef<ShardMessage> | undefined {
    return this.#summaries.has(shard) ? this.#supervisor.get(shard) : undefined;
  }

  /** A batch from the bus. Without a response, its probe resends it. */
  take(shard: number, message: TakenMessage): void {
    const actor = this.get(shard);
    if (actor && this.rate.admits(message.probe_id, message.bytes.length)) actor.send({ kind: 'batch', message });
  }

  /** Silence until now does not count. */
  interrupted(shard: number): void {
    this.get(shard)?.send({ kind: 'interrupted' });
  }

  /** Flushes and stops. The probes still have the results that could not be written. */
  async stop(): Promise<void> {
    this.#scanner.stop();
    for (const shard of this.loaded) this.#deps.onEnded(shard);
    await this.#journal.stop();
    await this.#supervisor.stopAll();
    await this.deadLetters.stop();
  }

  #failed(): void {
    this.counts.insert_failures += 1;
    for (const shard of this.loaded) this.interrupted(shard);
  }

  #mayRestart({ name: shard, error, hadStarted }: Failure<number>): boolean {
    const { log, surrender, holdsLease } = this.#deps;
    if (error instanceof OvertakenError) log.warn({ shard }, 'another controller wrote this shard');
    else if (hadStarted) log.error({ err: error, shard }, 'a shard failed and is being reloaded');
    else if (isDatabaseUnavailable(error)) log.warn({ err: error, shard }, 'a shard is waiting for the database');
    else log.error({ err: error, shard }, 'could not load a shard; will retry');
    if (error instanceof PoisonEntryError) this.#poison.add(`${shard}:${error.n}`);
    if (error instanceof NewerFormatError) {
      surrender(shard);
      return false;
    }
    if (!holdsLease(shard)) return false;
    if (!(error instanceof OvertakenError)) this.#failing.add(shard);
    return true;
  }
}
