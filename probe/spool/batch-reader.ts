import PQueue from 'p-queue';
import { MAX_BATCH_BYTES, MAX_BATCH_RESULTS } from '../../shared/contracts/result.ts';
import { Fifo } from '../fifo.ts';
import { mergeBatches, packDropped, type PackedBatch } from './batches.ts';
import { FRAME_BATCH, scanFrames } from './frame.ts';
import type { Lane } from './lane.ts';
import { laneKey } from './recovery.ts';
import type { BatchRef, Segment, SegmentIndex } from './segment.ts';

export interface BatchReaderOptions {
  /** Probe version as carried by batches. */
  engine: string;
  /** Maximum bytes of batches cached after writing. */
  cacheBytes: number;
  /** Segments that are no longer written to. */
  sealed: () => Segment[];
}

/** Sealed segments whose index stays in memory. */
const INDEXED_SEGMENTS = 4;

/**
 * Finds batches by number: recently written ones in the cache, the backlog on disk, one segment at a time.
 */
export class BatchReader {
  readonly #options: BatchReaderOptions;
  /** One at a time, because all lanes that are read at once may need the same segment. */
  readonly #loading = new PQueue({ concurrency: 1 });
  readonly #cached = new Fifo<BatchRef>();
  #cachedBytes = 0;

  constructor(options: BatchReaderOptions) {
    this.#options = options;
  }

  /**
   * The batch of `lane` that contains `seq`, or one that declares it lost; null if not synced yet. Merges
   * consecutive small batches. Acknowledged numbers are returned as trimmed. Several lanes may be read at
   * once.
   */
  async read(lane: Lane, seq: number): Promise<PackedBatch | null> {
    if (seq > lane.synced) return null;
    if (seq <= lane.watermark) {
      return packDropped(lane.epoch, this.#options.engine, seq, lane.watermark, 'trimmed');
    }
    const segment = lane.segments.find((each) => (each.lanes.get(lane) as number) >= seq);
    if (!segment) return this.#lost(lane, seq, lane.synced);
    // Kept during the read: another lane's read may drop it from memory meanwhile.
    const index = segment.index ?? await this.#loading.add(() => this.#loadIndex(segment));
    return mergeBatches(await this.#partsFrom(segment, index, lane, seq));
  }

  /** Caches the bytes just written, evicting the oldest. */
  cache(ref: BatchRef): void {
    this.#cached.put(ref);
    this.#cachedBytes += ref.length;
    for (let oldest = this.#cached.peek(); oldest; oldest = this.#cached.peek()) {
      if (oldest.bytes && this.#cachedBytes <= this.#options.cacheBytes) return;
      this.#uncache(oldest);
      this.#cached.take();
    }
  }

  /** Drops the cached bytes of a lane's batches in this range. */
  uncache(lane: Lane, first: number, last: number): void {
    for (const segment of lane.segments) {
      const refs = segment.index?.get(lane) ?? [];
      for (let at = firstAtOrAfter(refs, first); at < refs.length &&
        (refs[at] as BatchRef).last <= last; at += 1) {
        this.#uncache(refs[at] as BatchRef);
      }
      if ((segment.lanes.get(lane) as number) >= last) return;
    }
  }

  #uncache(ref: BatchRef): void {
    if (!ref.bytes) return;
    this.#cachedBytes -= ref.length;
    ref.bytes = null;
  }

  async #loadIndex(segment: Segment): Promise<SegmentIndex> {
    if (segment.index) return segment.index;
    const byKey = new Map([...segment.lanes.keys()].map((lane) => [laneKey(lane.epoch, lane.shard), lane]));
    const bytes = await segment.read(0, segment.size);
    const loaded = this.#options.sealed().filter((each) => each.index);
    const index: SegmentIndex = new Map();
    segment.index = index;
    scanFrames(bytes, ({ kind, epoch, shard, first, last, count, offset, length, isIntact }) => {
      const lane = kind === FRAME_BATCH ? byKey.get(laneKey(epoch, shard)) : undefined;
      if (lane) segment.addToIndex(lane, { first, last, count, offset, length, isIntact, bytes: null });
    });
    for (const old of loaded.slice(0, Math.max(0, loaded.length - INDEXED_SEGMENTS + 1))) {
      old.index = null;
      await old.release();
    }
    return index;
  }

  async #partsFrom(
    segment: Segment, index: SegmentIndex, lane: Lane, seq: number,
  ): Promise<PackedBatch[]> {
    const refs = index.get(lane) ?? [];
    let at = firstAtOrAfter(refs, seq);
    const head = refs[at];
    if (!head) return [this.#lost(lane, seq, Math.min(lane.synced, segment.lanes.get(lane) as number))];
    if (head.first > seq) return [this.#lost(lane, seq, head.first - 1)];
    const parts: PackedBatch[] = [];
    let count = 0;
    let size = 0;
    for (let ref = refs[at]; ref && ref.last <= lane.synced; ref = refs[++at]) {
      const isNext = parts.length === 0 || ref.first === (parts[parts.length - 1] as PackedBatch).last + 1;
      const isTooMuch =
        parts.length > 0 && (count + ref.count > MAX_BATCH_RESULTS || size + ref.length > MAX_BATCH_BYTES);
      if (!isNext || isTooMuch) break;
      const bytes = ref.isIntact ? await bytesOf(segment, ref) : null;
      if (!bytes && parts.length > 0) break;
      if (!bytes) return [this.#lost(lane, Math.max(seq, ref.first), ref.last)];
      parts.push({ first: ref.first, last: ref.last, count: ref.count, bytes });
      count += ref.count;
      size += ref.length;
    }
    return parts;
  }

  #lost(lane: Lane, first: number, last: number): PackedBatch {
    return packDropped(lane.epoch, this.#options.engine, first, last, 'corrupt');
  }
}

async function bytesOf(segment: Segment, ref: BatchRef): Promise<Uint8Array | null> {
  if (ref.bytes) return ref.bytes;
  const bytes = await segment.read(ref.offset, ref.length);
  return bytes.length === ref.length ? bytes : null;
}

/** Index of the first batch that ends at or after `seq`. */
function firstAtOrAfter(refs: BatchRef[], seq: number): number {
  let low = 0;
  let high = refs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((refs[middle] as BatchRef).last < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
