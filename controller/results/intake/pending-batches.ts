import { laneName } from '../../../shared/contracts/result.ts';
import type { DeadLetter } from '../dead-letters/dead-letter.ts';
import type { EntryBatch } from '../journal/journal-entry.ts';

/** Most results and bytes of one journal entry; the rest waits for the next. */
const ENTRY_RESULTS = 1000;
const ENTRY_BYTES = 1_048_576;
/** Most that may wait for the journal; what comes on top is not answered, so that its probe sends it again. */
const PENDING_RESULTS = 4000;
const PENDING_BYTES = 4_194_304;

/** Who is to be told when a batch is in the journal. */
export interface Waiting {
  lane: string;
  last: number;
  answer(watermark: number): void;
}

export interface PendingBatch extends EntryBatch {
  count: number;
  /** When its first and last results were started, Unix ms. */
  earliest: number;
  latest: number;
  waiting: Waiting[];
  letters: DeadLetter[];
}

/** Batches of one shard that wait for the journal, in the order in which they came. */
export class PendingBatches {
  #batches: PendingBatch[] = [];
  #results = 0;
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** Whether one more may wait. */
  get hasRoom(): boolean {
    return this.#results < PENDING_RESULTS && this.#bytes < PENDING_BYTES;
  }

  put(batch: PendingBatch): void {
    this.#batches.push(batch);
    this.#results += batch.count;
    this.#bytes += batch.bytes.length;
  }

  /** Takes as many as one entry holds, one at least; none when none wait. */
  takeForEntry(): PendingBatch[] {
    const taken: PendingBatch[] = [];
    let results = 0;
    let bytes = 0;
    while (this.#batches[0]) {
      const next = this.#batches[0];
      if (taken.length > 0 && (results + next.count > ENTRY_RESULTS || bytes + next.bytes.length > ENTRY_BYTES)) break;
      this.#batches.shift();
      taken.push(next);
      results += next.count;
      bytes += next.bytes.length;
    }
    this.#results -= results;
    this.#bytes -= bytes;
    return taken;
  }

  /** Has `waiting` told with the batch that brings its lane so far: one of `inHand`, which came before, or one that waits. */
  join(waiting: Waiting, inHand: readonly PendingBatch[]): void {
    const holds = ({ probe_id: probeId, batch }: PendingBatch): boolean => laneName(probeId, batch.epoch) === waiting.lane && batch.last >= waiting.last;
    const holder = inHand.find(holds) ?? this.#batches.find(holds);
    // A probe that repeats itself while the database is slow is answered once: the last answer says all.
    if (holder) holder.waiting = [...holder.waiting.filter((other) => other.lane !== waiting.lane), waiting];
  }
}
