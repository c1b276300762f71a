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
/** Messages that may wait for one shard: several times what its probes send while an entry is applied. */
const MAILBOX_MESSAGES = 10_000;

export interface ShardsDeps extends Pick<ShardDeps, 'clock' | 'log' | 'limits' | 'listeners'> {
  stores: ShardStores & { deadLetters: Pick<DeadLetterStore, 'add'> };
  /** Names this controller's start; with a number behind it, the writer of journal entries. */
  instance: string;
  /** Whether the shard is still ours; asked after it failed. */
  holdsLease(shard: number): boolean;
  /** The shard's journal is of a later version, which is to have it. */
  surrender(shard: number): void;
  /** A shard begins and ends taking messages. */
  onStarted(shard: number): void;
  onEnded(shard: number): void;
}

/** The shards in hand: supervises an actor for each and brings it what is meant for it. */
export class Shards {
  readonly counts: IngestCounts = {
    entries: 0, results: 0, voided: 0, insert_failures: 0, listener_failures: 0, set_aside: 0,
  };
  readonly deadLetters: DeadLetterBox;
  readonly lostLanes: LostLanes;
  readonly rate: ProbeRate;
  /** Batches whose subject names no region that this controller knows. */
  readonly unknownRegions: IgnoredMessages;
  readonly #deps: ShardsDeps;
  readonly #journal: JournalWriter;
  readonly #scanner: ClockScanner;
  readonly #supervisor: Supervisor<number, ShardMessage>;
  readonly #states = new Map<number, ShardState>();
  readonly #loaded = new Map<number, Pick<Shard, 'setAside'>>();
  /** Entries, as `<shard>:<n>`, that ended the life that loaded them. */
  readonly #poison = new Set<string>();
  /** Shards of this controller that failed and take no results. */
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

  /** Shards of this controller that failed and take no results until they are loaded again. */
  get failing(): number {
    return this.#failing.size;
  }

  /** Monitors that the database does not take at present; each is retried by itself. */
  get monitorsSetAside(): number {
    return [...this.#loaded.values()].reduce((sum, { setAside }) => sum + setAside, 0);
  }

  /** What is known of the shards that are loaded and take messages; to be read, never changed. */
  get states(): ReadonlyMap<number, ShardState> {
    return this.#states;
  }

  start(): void {
    this.#scanner.start();
  }

  /** Loads a shard and starts taking its results; tries again until it is loaded, or released. */
  acquire(shard: number): void {
    this.#supervisor.start(shard);
  }

  /** Ends taking a shard's results at once; resolves when what follows from them is written. */
  release(shard: number): Promise<void> {
    this.#failing.delete(shard);
    return this.#supervisor.stop(shard);
  }

  /** The present life of a shard that is loaded; undefined when it is not in hand. */
  get(shard: number): Actor<ShardMessage> | undefined {
    const actor = this.#supervisor.get(shard);
    return actor?.isRunning ? actor : undefined;
  }

  /** A batch from the bus. Without a reply its probe sends it again. */
  take(shard: number, message: TakenMessage): void {
    const { probe_id: probeId, region, bytes } = message;
    const actor = this.get(shard);
    if (!actor || !this.rate.admits(probeId, bytes.length)) return;
    if (this.#deps.limits.regionOwner(region) === undefined) this.unknownRegions.add(probeId, { region });
    else actor.send({ kind: 'batch', message });
  }

  /** Silence until now says nothing about anybody. */
  interrupted(shard: number): void {
    this.get(shard)?.send({ kind: 'interrupted' });
  }

  /** Writes what waits and stops; what could not be written is still with the probes. */
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
