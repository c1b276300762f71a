import { decodeBatch, PACKED_FORMAT } from '../../../shared/contracts/result-pack.ts';
import { laneName, type ResultBatch, probeOfLane } from '../../../shared/contracts/result.ts';
import type { UuidCache } from '../../../shared/ids.ts';
import type { DeadLetter } from '../dead-letters/dead-letter.ts';
import type { EntryBatch } from '../journal/journal-store.ts';
import { LANES_PER_PROBE } from '../state/shard-state.ts';
import type { AssignmentHistory, TakenMessage } from './take-limits.ts';

/** Limits of one journal entry. The rest waits for the next. */
const MAX_ENTRY_RESULTS = 1000;
const MAX_ENTRY_BYTES = 1_048_576;
/** Limits of queued batches. Batches beyond them get no response, so their probe resends them. */
const MAX_PENDING_RESULTS = 4000;
const MAX_PENDING_BYTES = 4_194_304;

/** A response due once the journal has a batch. */
export interface PendingAcknowledgement {
  lane: string;
  last: number;
  acknowledge(watermark: number): void;
}

export interface PendingBatch extends EntryBatch {
  count: number;
  /** Start of its first and last results, Unix ms. */
  earliest: number;
  latest: number;
  waiting: PendingAcknowledgement[];
  letters: DeadLetter[];
}

/** Batches of one shard that wait for the journal, in order of arrival. */
export class PendingBatches {
  #batches: PendingBatch[] = [];
  #results = 0;
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** True if another batch can be queued. */
  get hasRoom(): boolean {
    return this.#results < MAX_PENDING_RESULTS && this.#bytes < MAX_PENDING_BYTES;
  }

  put(batch: PendingBatch): void {
    this.#batches.push(batch);
    this.#results += batch.count;
    this.#bytes += batch.bytes.length;
  }

  /** Removes as many as one entry holds, at least one; none if the queue is empty. */
  takeForEntry(): PendingBatch[] {
    const taken: PendingBatch[] = [];
    let results = 0;
    let bytes = 0;
    while (this.#batches[0]) {
      const next = this.#batches[0];
      const isFull = results + next.count > MAX_ENTRY_RESULTS || bytes + next.bytes.length > MAX_ENTRY_BYTES;
      if (taken.length > 0 && isFull) break;
      this.#batches.shift();
      taken.push(next);
      results += next.count;
      bytes += next.bytes.length;
    }
    this.#results -= results;
    this.#bytes -= bytes;
    return taken;
  }

  /**
   * Adds the response `waiting` to the batch that advances its lane that far, in `inFlight` or in the queue.
   */
  join(waiting: PendingAcknowledgement, inFlight: readonly PendingBatch[]): void {
    const holds = ({ probe_id: probeId, batch }: PendingBatch): boolean =>
      laneName(probeId, batch.epoch) === waiting.lane && batch.last >= waiting.last;
    const holder = inFlight.find(holds) ?? this.#batches.find(holds);
    // If a probe repeats itself while the database is slow, only the last response is sent: it includes the
    // others.
    if (holder) holder.waiting = [...holder.waiting.filter((other) => other.lane !== waiting.lane), waiting];
  }
}

/**
 * Limits of held batches: as many as a probe sends of a lane without a response. Batches beyond them get no
 * response, so their probe resends them.
 */
const MAX_BATCHES_PER_PROBE = 16;
const MAX_HELD_BYTES = 4_194_304;

/**
 * Batches of one shard that wait for their assignments to be read. All batches of their probe wait with them,
 * so that its lanes stay in order.
 */
export class HeldBatches {
  readonly #retake: (message: TakenMessage) => void;
  readonly #byProbe = new Map<string, TakenMessage[]>();
  #bytes = 0;

  /** `retake` receives each batch again, in order. */
  constructor(retake: (message: TakenMessage) => void) {
    this.#retake = retake;
  }

  /** True if the message was queued behind others of its probe, or dropped because the queue is full. */
  queue(message: TakenMessage): boolean {
    const queue = this.#byProbe.get(message.probe_id);
    if (!queue) return false;
    if (queue.length < MAX_BATCHES_PER_PROBE && this.hasRoom) this.#add(queue, message);
    return true;
  }

  get hasRoom(): boolean {
    return this.#bytes < MAX_HELD_BYTES;
  }

  /** Holds a batch until `reading` settles. If that fails, its probe has to resend the batch. */
  hold(message: TakenMessage, reading: Promise<AssignmentHistory>): void {
    const queue: TakenMessage[] = [];
    this.#byProbe.set(message.probe_id, queue);
    this.#add(queue, message);
    const release = (history: AssignmentHistory | null): void => {
      this.#byProbe.delete(message.probe_id);
      for (const held of queue) this.#bytes -= held.bytes.length;
      const [first, ...others] = queue as [TakenMessage, ...TakenMessage[]];
      if (history) {
        const assignmentHistory = new Map([...(first.assignmentHistory ?? []), ...history]);
        this.#retake({ ...first, assignmentHistory });
      }
      for (const other of others) this.#retake(other);
    };
    reading.then(release, () => release(null));
  }

  #add(queue: TakenMessage[], message: TakenMessage): void {
    queue.push(message);
    this.#bytes += message.bytes.length;
  }
}

/**
 * A batch that decodes its results from bytes on each read. Queued objects would survive the garbage
 * collector's first pass, and copying them costs more than decoding twice.
 */
export function holdBatch(bytes: Uint8Array, batch: ResultBatch, ids: UuidCache): ResultBatch {
  if (bytes[0] !== PACKED_FORMAT) return batch;
  const { epoch, engine, first, last, dropped } = batch;
  return { epoch, engine, first, last, dropped, get results() { return decodeBatch(bytes, ids).results; } };
}

/**
 * Lane positions that include unjournaled batches, so that each lane is processed strictly in order. A lane
 * stays until the journal has all of it, even if the state drops it meanwhile.
 */
export class UnjournaledLanes {
  readonly #positions = new Map<string, number>();
  /** Number of these lanes by probe. */
  readonly #counts = new Map<string, number>();

  /** Undefined if the lane has no unjournaled batches. */
  get(lane: string): number | undefined {
    return this.#positions.get(lane);
  }

  /**
   * False if the probe has as many other unjournaled lanes as the state keeps. With more, one entry would
   * drop lanes that it has just moved.
   */
  hasRoom(lane: string): boolean {
    return this.#positions.has(lane) || (this.#counts.get(probeOfLane(lane)) ?? 0) < LANES_PER_PROBE;
  }

  set(lane: string, position: number): void {
    if (!this.#positions.has(lane)) this.#count(lane, 1);
    this.#positions.set(lane, position);
  }

  /** The journal has the lane up to `position`. */
  settle(lane: string, position: number): void {
    if (this.#positions.get(lane) !== position) return;
    this.#positions.delete(lane);
    this.#count(lane, -1);
  }

  #count(lane: string, by: number): void {
    const probe = probeOfLane(lane);
    const count = (this.#counts.get(probe) ?? 0) + by;
    if (count > 0) this.#counts.set(probe, count);
    else this.#counts.delete(probe);
  }
}
