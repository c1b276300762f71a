import type { Actor } from '../../../shared/actor/actor.ts';
import { Supervisor, type Failure } from '../../../shared/actor/supervisor.ts';
import { SHARD_COUNT } from '../../../shared/ids.ts';
import { isDatabaseUnavailable } from '../../platform/mongo/mongo-errors.ts';
import { IgnoredMessages } from '../../probes/ignored-messages.ts';
import { ProbeRate } from '../../probes/probe-rate.ts';
import { ClockScanner } from '../clock/clock-scanner.ts';
import { DeadLetterBox } from '../dead-letters/dead-letter-box.ts';
import type { DeadLetterStore } from '../dead-letters/dead-letter-store.ts';
import { LostLanes } from '../dead-letters/lost-lanes.ts';
import type { TakenMessage } from '../intake/take-limits.ts';
import { JournalWriter } from './journal-writer.ts';
import { Shard, type IngestCounts, type ShardDeps, type ShardStores } from './shard.ts';
import {
  NewerFormatError, OvertakenError, PoisonEntryError, type ShardMessage,
} from './shard-message.ts';
import type { ShardState } from '../state/shard-state.ts';

const MIN_RESTART_DELAY_MS = 200;
const MAX_RESTART_DELAY_MS = 5000;
/** Queue limit per shard: several times what its probes send while an entry is applied. */
const MAILBOX_MESSAGES = 10_000;

export interface ShardsDeps extends Pick<ShardDeps, 'clock' | 'log' | 'limits' | 'listeners'> {
  stores: ShardStores & { deadLetters: Pick<DeadLetterStore, 'add'> };
  /** Identifies this start of the controller. With a number appended, it is the writer of journal entries. */
  instance: string;
  /** Whether we still own the shard. Called after it failed. */
  holdsLease(shard: number): boolean;
  /** Gives up a shard whose journal needs a later version. */
  surrender(shard: number): void;
  /** Called when a shard starts or stops taking messages. */
  onStarted(shard: number): void;
  onEnded(shard: number): void;
}

/** The local shards: supervises an actor for each and routes its messages. */
export class Shards {
  readonly counts: IngestCounts = {
    entries: 0, results: 0, voided: 0, insert_failures: 0, listener_failures: 0, set_aside: 0,
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
  readonly #states = new Map<number, ShardState>();
  readonly #loaded = new Map<number, Pick<Shard, 'setAside'>>();
  /** Entries, as `<shard>:<n>`, that crashed the instance that loaded them. */
  readonly #poison = new Set<string>();
  /** Failed shards of this controller, which take no results. */
  readonly #failing = new Set<number>();
  #lives = 0;

  constructor(deps: ShardsDeps) {
    const { clock, log, stores } = deps;
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
      clock, capacity: MAILBOX_MESSAGES, firstDelayMs: MIN_RESTART_DELAY_MS, maxDelayMs: MAX_RESTART_DELAY_MS,
      start: async (shard, context) => {
        const { limits, listeners } = deps;
        const { counts, deadLetters, lostLanes } = this;
        const writer = `${deps.instance}:${(this.#lives += 1)}`;
        const journal = this.#journal;
        const loaded = await Shard.load(
          shard, writer, {
            clock, log, stores, limits, listeners, journal, deadLetters, lostLanes,
            counts,
            isPoison: (n) => this.#poison.has(`${shard}:${n}`),
          }, context,
        );
        if (!context.signal.aborted) {
          this.#states.set(shard, loaded.state);
          this.#loaded.set(shard, loaded);
        }
        return loaded;
      },
      onFailure: (failure) => this.#mayRestart(failure),
      onStarted: (shard) => {
        this.#failing.delete(shard);
        deps.onStarted(shard);
      },
      onEnded: (shard) => {
        this.#states.delete(shard);
        this.#loaded.delete(shard);
        deps.onEnded(shard);
      },
    });
  }

  /** Shards of this controller that failed and take no results until they are reloaded. */
  get failing(): number {
    return this.#failing.size;
  }

  /** Monitors that the database currently refuses. Each is retried separately. */
  get monitorsSetAside(): number {
    return [...this.#loaded.values()].reduce((sum, { setAside }) => sum + setAside, 0);
  }

  /** States of the loaded shards. Read-only. */
  get states(): ReadonlyMap<number, ShardState> {
    return this.#states;
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
  get(shard: number): Actor<ShardMessage> | undefined {
    const actor = this.#supervisor.get(shard);
    return actor?.isRunning ? actor : undefined;
  }

  /** A batch from the bus. Without a response, its probe resends it. */
  take(shard: number, message: TakenMessage): void {
    const { probe_id: probeId, region, bytes } = message;
    const actor = this.get(shard);
    if (!actor || !this.rate.admits(probeId, bytes.length)) return;
    if (this.#deps.limits.regionOwner(region) === undefined) this.unknownRegions.add(probeId, { region });
    else actor.send({ kind: 'batch', message });
  }

  /** Silence until now does not count. */
  interrupted(shard: number): void {
    this.get(shard)?.send({ kind: 'interrupted' });
  }

  /** Flushes and stops. The probes still have the results that could not be written. */
  async stop(): Promise<void> {
    this.#scanner.stop();
    for (let shard = 0; shard < SHARD_COUNT; shard += 1) this.#deps.onEnded(shard);
    await this.#journal.stop();
    await this.#supervisor.stopAll();
    await this.deadLetters.stop();
  }

  #failed(): void {
    this.counts.insert_failures += 1;
    for (const shard of this.#states.keys()) this.interrupted(shard);
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
