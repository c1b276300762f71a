import { ActorError, type ActorRef } from '../../../shared/actor/actor-ref.ts';
import { backoffMs } from '../../../shared/backoff.ts';
import type { Log } from '../../../shared/log.ts';
import { OngoingFailure } from '../../../shared/ongoing-failure.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import type { DeadLetterBox } from '../dead-letters/dead-letter-box.ts';
import type { NextEntry } from '../intake/entry-builder.ts';
import type { JournalStore, InsertOutcome } from '../journal/journal-store.ts';
import type { SnapshotStore } from '../writing/snapshot-store.ts';

const BACKOFF = { minMs: 200, maxMs: 2000 };
/**
 * Entries due within this time are written along with the others, because a probe's batches arrive together.
 */
const JOIN_MS = 100;

/** Messages of the writer to a shard. */
export type JournalMessage =
  /** Requests the next entry, or the one that is still unconfirmed. */
  | { kind: 'nextEntry'; respond(next: NextEntry | null): void }
  /** The outcome of an insert. `snapshotN`: the entry of the shard's snapshot after the insert. */
  | { kind: 'inserted'; outcome: InsertOutcome; snapshotN: number; respond(): void };

export interface JournalWriterDeps {
  clock: Clock;
  log: Log;
  stores: { journal: Pick<JournalStore, 'insert'>; snapshots: Pick<SnapshotStore, 'numbers'> };
  deadLetters: Pick<DeadLetterBox, 'storeNow'>;
  /** Called if the database did not accept an insert, which is then retried. */
  onInsertFailed(): void;
}

type ShardActor = Pick<ActorRef<JournalMessage>, 'ask'>;

/** Writes the due entries of all shards with one command, and reports the outcome to each shard. */
export class JournalWriter {
  readonly #deps: JournalWriterDeps;
  /** When each shard's next entry is due, monotonic ms. */
  readonly #wanted = new Map<ShardActor, number>();
  readonly #insertFailure: OngoingFailure;
  #wake: Timer | null = null;
  #wakeAt = Infinity;
  #flushing: Promise<void> | null = null;
  #failures = 0;
  #isStopped = false;

  constructor(deps: JournalWriterDeps) {
    this.#deps = deps;
    this.#insertFailure = new OngoingFailure({
      clock: deps.clock, log: deps.log, level: 'warn', countField: 'times',
      message: 'could not write the journal; will retry', recoveredMessage: 'journal writes succeed again',
    });
  }

  /**
   * Schedules a shard's next entry for `at` (monotonic ms). It may be written earlier, together with others.
   */
  schedule(shard: ShardActor, at: number): void {
    this.#wanted.set(shard, Math.min(at, this.#wanted.get(shard) ?? Infinity));
    this.#wakeUp();
  }

  /** Writes what is due, then stops. */
  async stop(): Promise<void> {
    await this.#flushing;
    await this.#flush(Infinity);
    this.#isStopped = true;
    this.#wake?.cancel();
  }

  #wakeUp(): void {
    if (this.#flushing || this.#isStopped || this.#wanted.size === 0) return;
    const now = this.#deps.clock.monotonic();
    const backoff = this.#failures > 0 ? backoffMs(this.#failures, BACKOFF) : 0;
    const at = Math.max(Math.min(...this.#wanted.values()), now + backoff);
    if (at >= this.#wakeAt) return;
    this.#wake?.cancel();
    this.#wakeAt = at;
    this.#wake = this.#deps.clock.setTimer(at - now, () => {
      this.#wakeAt = Infinity;
      this.#wake = null;
      this.#flushing = this.#flush(this.#deps.clock.monotonic()).finally(() => {
        this.#flushing = null;
        this.#wakeUp();
      });
    });
  }

  async #flush(now: number): Promise<void> {
    const { stores, deadLetters, clock, onInsertFailed } = this.#deps;
    const work = await this.#entriesDue(now);
    if (work.length === 0) return;
    try {
      const letters = work.flatMap((part) => part.letters);
      if (letters.length > 0) await deadLetters.storeNow(letters);
      const outcomes = await stores.journal.insert(work.map((part) => part.entry));
      const numbers = await stores.snapshots.numbers(work.map((part) => part.entry.shard));
      this.#failures = 0;
      this.#insertFailure.recovered();
      await Promise.all(work.map(({ shard, entry }, index) => {
        const inserted = {
          kind: 'inserted' as const, outcome: outcomes[index] as InsertOutcome,
          snapshotN: numbers.get(entry.shard) ?? 0,
        };
        return shard.ask<void>((respond) => ({ ...inserted, respond })).catch(
          (error: unknown) => this.#repeat(shard, error),
        );
      }));
    } catch (error) {
      this.#failures += 1;
      this.#insertFailure.record({ err: error });
      for (const { shard } of work) this.#wanted.set(shard, clock.monotonic());
      onInsertFailed();
    }
  }

  /** A shard that fails to build its entry does not block the others. */
  async #entriesDue(now: number): Promise<(NextEntry & { shard: ShardActor })[]> {
    const due = [...this.#wanted].flatMap(([shard, at]) => (at <= now + JOIN_MS ? [shard] : []));
    for (const shard of due) this.#wanted.delete(shard);
    const entries = await Promise.all(due.map(async (shard) => {
      const next = await shard.ask<NextEntry | null>((respond) => ({ kind: 'nextEntry', respond })).catch(
        (error: unknown) => this.#repeat(shard, error),
      );
      return next ? [{ shard, ...next }] : [];
    }));
    return entries.flat();
  }

  /**
   * A shard that has too much to do would wait forever for the outcome of the entry that it handed out. It
   * hands it out once more, and the journal recognizes it.
   */
  #repeat(shard: ShardActor, error: unknown): null {
    const isBusy = error instanceof ActorError && (error.reason === 'full' || error.reason === 'timeout');
    if (isBusy) this.#wanted.set(shard, this.#deps.clock.monotonic() + BACKOFF.minMs);
    return null;
  }
}
