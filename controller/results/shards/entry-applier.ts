import { failedLetter, unreadableLetter } from '../dead-letters/dead-letter.ts';
import { ENTRY_VERSION, type JournalEntry } from '../journal/journal-entry.ts';
import type { AppliedEntry } from '../state/entry-step.ts';
import { JournalGapError } from '../state/shard-state.ts';
import type { ClockDuties } from './clock-duties.ts';
import { NewerFormatError, PoisonEntryError } from './shard-message.ts';
import type { ShardParts } from './shard-parts.ts';

/** Entries per read while a journal is replayed. */
const READ_BATCH_SIZE = 100;

/** Applies journal entries to a shard's state, and reports them to everything that follows entries. */
export class EntryApplier {
  readonly #parts: ShardParts;
  readonly #duties: Pick<ClockDuties, 'applied'>;

  constructor(parts: ShardParts, duties: Pick<ClockDuties, 'applied'>) {
    this.#parts = parts;
    this.#duties = duties;
  }

  apply(entry: JournalEntry): AppliedEntry {
    const { deps: { counts, deadLetters, log, lostLanes }, state, snapshots } = this.#parts;
    const { shard, n, unread = [], taken_at: takenAt } = entry;
    const applied = state.apply(entry);
    snapshots.applied(entry);
    this.#duties.applied(entry, applied);
    if (applied.dropped.length > 0) lostLanes.report(entry, applied.dropped);
    const letters = [
      ...applied.failed.map((failed) => failedLetter(entry, failed)),
      ...unread.map((batch) => unreadableLetter(shard, batch, takenAt)),
    ];
    if (letters.length > 0) deadLetters.put(letters);
    if (unread.length > 0) {
      counts.set_aside += 1;
      log.error({ shard, n, batches: unread.length }, 'a journal entry can only be read in part');
    }
    return applied;
  }

  /** Calls the listeners with an entry that is now final. */
  announce(entry: JournalEntry, applied: AppliedEntry, replayed: boolean): void {
    const { deps: { listeners }, state } = this.#parts;
    for (const onApplied of listeners.onApplied) {
      this.#callListener(() => onApplied(state, applied, replayed));
    }
    if (!replayed && entry.configs.length > 0) this.#callListener(() => listeners.onConfigs(entry.configs));
  }

  /** Applies the journal after the snapshot. */
  async replay(): Promise<void> {
    const { deps: { stores: { journal, snapshots } }, state, monitorWrites } = this.#parts;
    const { shard } = state;
    for (;;) {
      const entries = await journal.read(shard, state.n, READ_BATCH_SIZE);
      // An entry below the snapshot may come from a stalled former owner that reused a free number; it does
      // not count.
      const written = (await snapshots.numbers([shard])).get(shard) ?? 0;
      if (written > state.n) throw new Error(`the snapshot of shard ${shard} has passed entry ${state.n}`);
      for (const entry of entries) {
        if (entry.v > ENTRY_VERSION) {
          throw new NewerFormatError(`shard ${shard} holds a journal entry of format ${entry.v}`);
        }
        const applied = this.#applyAgain(entry);
        await monitorWrites.write(applied.changed);
        this.announce(entry, applied, true);
      }
      if (entries.length < READ_BATCH_SIZE) return;
    }
  }

  /** Applies an entry that crashed an earlier instance without its contents, which become dead letters. */
  #applyAgain(entry: JournalEntry): AppliedEntry {
    try {
      if (!this.#parts.deps.isPoison(entry.n)) return this.apply(entry);
      const { shard, n, v, writer, taken_at, lanes, batches, unread = [] } = entry;
      const place = { shard, n, v, writer, taken_at, lanes };
      return this.apply(
        { ...place, configs: [], batches: [], pings: [], clock: [], unread: [...batches, ...unread] },
      );
    } catch (error) {
      throw error instanceof JournalGapError ? error : new PoisonEntryError(entry.n, error);
    }
  }

  #callListener(listen: () => void): void {
    const { deps: { counts, log }, state: { shard } } = this.#parts;
    try {
      listen();
    } catch (error) {
      counts.listener_failures += 1;
      log.error({ err: error, shard }, 'a listener for results failed');
    }
  }
}
