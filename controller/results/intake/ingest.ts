import { SHARD_COUNT } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock, type Timer } from '../../../shared/time.ts';
import { ClockRounds } from '../clock/clock-rounds.ts';
import type { DeadLetter, JournalEntry } from '../journal/journal-entry.ts';
import { LetterBox } from './letter-box.ts';
import { failedLetter } from './letter-rules.ts';
import type { ReceivedPing } from './ping-rules.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { ProbeRate } from './probe-rate.ts';
import { NewerFormatError, ShardActor, type ShardStores } from '../shards/shard-actor.ts';
import type { AppliedEntry } from '../shards/shard-state.ts';
import type { DeadLetterStore, InsertOutcome } from '../journal/storage-ports.ts';
import type { TakeLimits, TakenMessage } from './take-limits.ts';

/** While all is healthy the journal is written this often. */
const FLUSH_MS = 1000;
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 5000;

export interface IngestDeps {
  clock: Clock;
  log: Log;
  stores: ShardStores & { deadLetters: DeadLetterStore };
  limits: TakeLimits;
  /** Names this controller's start; with a number behind it, the writer of journal entries. */
  instance: string;
  /** Still ours? Asked when another owner's entry was met. */
  holdsLease(shard: number): boolean;
  /** The shard's journal is of a later version, which is to have it. */
  surrender(shard: number): void;
  /** Starts and ends taking messages of a shard. */
  listen(shard: number): void;
  unlisten(shard: number): void;
  listeners: IngestListeners;
}

export interface IngestListeners {
  /** Entries as they become final here, replayed ones too. */
  onApplied(shard: number, applied: AppliedEntry, entry: JournalEntry, replayed: boolean): void;
  /** Configurations that are in the journal now. */
  onConfigs(configs: MonitorConfig[]): void;
}

/** Figures since the start. */
export interface IngestCounts {
  entries: number;
  results: number;
  dead_letters: number;
  voided: number;
  insert_failures: number;
}

/** Takes results for the shards in hand, writes their journals together and lets everything else follow from them. */
export class Ingest {
  readonly counts: IngestCounts = { entries: 0, results: 0, dead_letters: 0, voided: 0, insert_failures: 0 };
  readonly #deps: IngestDeps;
  readonly #shards = new Map<number, ShardActor>();
  readonly #loading = new Set<number>();
  readonly #letters: LetterBox;
  readonly #rate = new ProbeRate();
  #writers = 0;
  readonly #rounds: ClockRounds<ShardActor>;
  #wake: Timer | null = null;
  #wakeAt = Infinity;
  #flushing: Promise<void> | null = null;
  #retryMs = 0;
  #isStopped = false;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
    this.#letters = new LetterBox({ store: deps.stores.deadLetters, clock: deps.clock, log: deps.log });
    this.#rounds = new ClockRounds({ clock: deps.clock, shards: this.#shards, onLooked: (actor) => this.#schedule(actor) });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Dead letters that were counted and not kept, since their sender had too many. */
  get lettersOmitted(): number {
    return this.#letters.omitted;
  }

  /** Messages that were not looked at, since their probe had sent too many. */
  get rateExceeded(): number {
    return this.#rate.exceeded;
  }

  /** Shards that are loaded and taking results. */
  get shards(): ReadonlyMap<number, ShardActor> {
    return this.#shards;
  }

  /** Loads a shard and starts taking its results; tries again until it is loaded, released or everything stops. */
  async acquire(shard: number): Promise<void> {
    if (this.#shards.has(shard) || this.#loading.has(shard)) return;
    this.#loading.add(shard);
    for (let waitMs = RETRY_MS; this.#loading.has(shard) && !this.#isStopped; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        await this.#load(shard);
        break;
      } catch (error) {
        this.#deps.log.warn({ err: error, shard }, 'a shard could not be loaded and is tried again');
        if (error instanceof NewerFormatError) {
          this.#deps.surrender(shard);
          break;
        }
        await sleep(this.#deps.clock, waitMs);
      }
    }
    this.#loading.delete(shard);
  }

  /** Ends taking a shard's results at once; resolves when what follows from them is written. */
  async release(shard: number): Promise<void> {
    this.#loading.delete(shard);
    const actor = this.#shards.get(shard);
    if (!actor) return;
    this.#deps.unlisten(shard);
    this.#shards.delete(shard);
    await actor.stop();
  }

  /** A batch from the bus. Without a reply its probe sends it again. */
  take(shard: number, message: TakenMessage): void {
    const actor = this.#shards.get(shard);
    const monotonic = this.#deps.clock.monotonic();
    if (!actor || !this.#rate.admits(message.probe_id, message.bytes.length, monotonic)) return;
    const letter = actor.owner.take(message, { wall: this.#deps.clock.now(), monotonic });
    if (letter) this.#keep([letter]);
    this.#schedule(actor);
  }

  /** Puts configurations on their way into the journal of their shard; false when it is not in hand. */
  note(shard: number, configs: MonitorConfig[]): boolean {
    const actor = this.#shards.get(shard);
    if (!actor) return false;
    actor.owner.noteConfigs(configs, this.#deps.clock.monotonic());
    this.#schedule(actor);
    return true;
  }

  /**
   * Puts pings on their way into the journal, if this is still the shard's actor. `lookedAt`: these are all that were stored
   * by then, Unix ms; null when there may be more.
   */
  notePings(actor: ShardActor, pings: ReceivedPing[], lookedAt: number | null): void {
    if (this.#shards.get(actor.shard) !== actor) return;
    const areAllTaken = actor.owner.notePings(pings, this.#deps.clock.monotonic());
    if (areAllTaken && lookedAt !== null) actor.lookedForPings(lookedAt);
    this.#schedule(actor);
  }

  /** Writes what waits and stops; what could not be written is still with the probes. */
  async stop(): Promise<void> {
    this.#rounds.stop();
    for (let shard = 0; shard < SHARD_COUNT; shard += 1) this.#deps.unlisten(shard);
    await this.#flushing;
    await this.#flush(Infinity);
    this.#isStopped = true;
    this.#wake?.cancel();
    await Promise.all([...this.#shards.values()].map((actor) => actor.stop()));
    await this.#letters.stop();
  }

  async #load(shard: number): Promise<void> {
    const { listeners, clock, log, stores, limits } = this.#deps;
    let replaying = true;
    const actor = await ShardActor.load(shard, `${this.#deps.instance}:${++this.#writers}`, {
      clock, log, stores, limits, onFailed: (letter) => this.#keep([letter]),
      onApplied: (which, applied, entry) => {
        this.#setAside(applied, entry);
        listeners.onApplied(which, applied, entry, replaying);
      },
    });
    replaying = false;
    if (!this.#loading.has(shard) || this.#isStopped) return;
    this.#shards.set(shard, actor);
    this.#deps.listen(shard);
  }

  #schedule(actor: ShardActor): void {
    const { waitingSince, urgent } = actor.owner;
    if (waitingSince === null || this.#isStopped) return;
    const now = this.#deps.clock.monotonic();
    // A shard that is behind is looked at again later: what it waits for is no message.
    const delayMs = Math.max(this.#retryMs, actor.isBehind ? RETRY_MS : 0);
    const at = Math.max(urgent ? now : waitingSince + FLUSH_MS, delayMs > 0 ? now + delayMs : 0);
    if (at >= this.#wakeAt) return;
    this.#wake?.cancel();
    this.#wakeAt = at;
    this.#wake = this.#deps.clock.setTimer(at - now, () => {
      this.#wakeAt = Infinity;
      this.#wake = null;
      if (!this.#flushing) this.#startFlush();
    });
  }

  #startFlush(): void {
    this.#flushing = this.#flush(this.#deps.clock.monotonic()).finally(() => {
      this.#flushing = null;
      for (const actor of this.#shards.values()) this.#schedule(actor);
    });
  }

  /** One command for all shards in which something urgent, or something a second old, waits. */
  async #flush(now: number): Promise<void> {
    const due = [...this.#shards.values()].filter(({ owner, isBehind }) =>
      owner.waitingSince !== null && !isBehind && (owner.urgent || owner.waitingSince + FLUSH_MS <= now + 1));
    const work = due.flatMap((actor) => {
      const next = actor.owner.nextEntry(this.#deps.clock.now());
      return next ? [{ actor, ...next }] : [];
    });
    if (work.length === 0) return;
    const { journal, snapshots } = this.#deps.stores;
    try {
      const letters = work.flatMap((part) => part.letters);
      await this.#letters.keep(letters);
      const outcomes = await journal.insert(work.map((part) => part.entry));
      const numbers = await snapshots.numbers(work.map((part) => part.actor.shard));
      this.#retryMs = 0;
      work.forEach(({ actor, entry }, index) => this.#judge(actor, entry, outcomes[index] as InsertOutcome, numbers.get(actor.shard) ?? 0));
      this.counts.dead_letters += letters.length;
    } catch (error) {
      this.counts.insert_failures += 1;
      this.#retryMs = Math.min(Math.max(RETRY_MS, this.#retryMs * 2), LONGEST_RETRY_MS);
      this.#deps.log.warn({ err: error }, 'the journal could not be written; it is tried again');
      for (const actor of this.#shards.values()) actor.interrupted();
    }
  }

  /** The insert is the fence, the snapshot its second half: a number below a snapshot has been written and forgotten before. */
  #judge(actor: ShardActor, entry: JournalEntry, outcome: InsertOutcome, snapshotN: number): void {
    if (this.#shards.get(actor.shard) !== actor) return;
    if (outcome === 'taken' || snapshotN >= entry.n) {
      this.counts.voided += 1;
      void this.#startOver(actor.shard);
      return;
    }
    const applied = actor.settle(entry);
    this.counts.entries += 1;
    this.counts.results += applied.fresh.length;
    if (entry.configs.length > 0) this.#deps.listeners.onConfigs(entry.configs);
  }

  async #startOver(shard: number): Promise<void> {
    this.#deps.log.warn({ shard }, 'another controller has written this shard');
    await this.release(shard);
    if (this.#deps.holdsLease(shard) && !this.#isStopped) await this.acquire(shard);
  }

  #setAside(applied: AppliedEntry, entry: JournalEntry): void {
    if (applied.failed.length === 0) return;
    this.#keep(applied.failed.map((failed) => failedLetter(entry, failed)));
  }

  #keep(letters: DeadLetter[]): void {
    this.counts.dead_letters += letters.length;
    this.#letters.put(letters);
  }
}
