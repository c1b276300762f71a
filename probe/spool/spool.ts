import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises';
import { MAX_BATCH_BYTES, MAX_BATCH_RESULTS, type CheckResult } from '../../shared/contracts/result.ts';
import { newId, SHARD_COUNT, shardOf } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { Fifo } from '../runner/fifo.ts';
import type { SlotRun } from '../scheduler/slots.ts';
import { mergeBatches, packDropped, packTaken, type PackedBatch } from './batches.ts';
import { encodeFrame, FRAME_BATCH, FRAME_MARK, scanFrames } from './frame.ts';
import { Lane, type Taken } from './lane.ts';
import { encodeMark, type Coverage } from './mark.ts';
import { recoverSpool, segmentPath, type Recovered } from './recovery.ts';
import { Segment, type BatchRef } from './segment.ts';

export interface SpoolLimits {
  /** Of all files together. When they are full, the oldest is kept and the newest refused. */
  maxBytes: number;
  segmentBytes: number;
  /** Results waiting for a write that does not come back; above it they are refused. */
  maxPending: number;
  /** Of batches kept in memory after writing. */
  cacheBytes: number;
}

export const SPOOL_LIMITS: SpoolLimits = Object.freeze({
  maxBytes: 1024 ** 3, segmentBytes: 4 * 1024 ** 2, maxPending: 50_000, cacheBytes: 8 * 1024 ** 2,
});

export interface SpoolOptions {
  directory: string;
  clock: Clock;
  log: Log;
  /** Version of this software, as batches carry it. */
  engine: string;
  limits?: SpoolLimits;
  /** How far the schedule is covered once all that was added so far is written; null when nobody knows. */
  coverage?: () => Coverage | null;
  /** Called with lanes that have something new to send. */
  onSynced?: (lanes: Lane[]) => void;
}

/** A healthy result waits this long for company, ms. */
const FLUSH_AFTER_MS = 1000;
/** Two urgent flushes are at least this far apart, so that a storm of failures shares its syncs, ms. */
const URGENT_SPACING_MS = 5;
const INDEXED_SEGMENTS = 4;

/**
 * The probe's durable memory: an append-only log of packed batches in segments, synced in groups. A result counts
 * as spooled, and may be sent, once its flush is synced. Each opening starts a new epoch and a new segment; older
 * ones are only read. A damaged frame costs itself alone and is declared as dropped by its numbers.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #limits: SpoolLimits;
  readonly #lanes = new Set<Lane>();
  readonly #dirty = new Set<Lane>();
  readonly #segments: Segment[];
  readonly #cached = new Fifo<BatchRef>();
  #cachedBytes = 0;
  #epoch = '';
  #fresh: Lane[] = [];
  #file: FileHandle | null = null;
  #active: Segment | null = null;
  #isNamed = false;
  #bytes: number;
  #pending = 0;
  /** The segment with the last mark: it and all after it stay. */
  #markedSegment: number;
  #lastCoverage: Coverage | null;
  #markedTrims = new Map<Lane, number>();
  #timer: Timer | null = null;
  #urgentTimer: Timer | null = null;
  #flushing: Promise<void> | null = null;
  #wantsFlush: 'urgent' | 'all' | null = null;
  #lastFlushMs = -Infinity;
  #isClosed = false;
  #refused = 0;
  readonly recovered: { coverage: Coverage | null; recorded: ReadonlyMap<string, SlotRun[]> };

  private constructor(options: SpoolOptions, found: Recovered) {
    this.#options = options;
    this.#limits = options.limits ?? SPOOL_LIMITS;
    this.#segments = found.segments;
    this.#bytes = found.segments.reduce((sum, segment) => sum + segment.size, 0);
    for (const lane of found.lanes.values()) if (lane.depth > 0) this.#lanes.add(lane);
    this.recovered = { coverage: found.coverage, recorded: found.recorded };
    this.#lastCoverage = found.coverage;
    this.#markedSegment = found.segments[0]?.id ?? 0;
    this.openEpoch();
  }

  /** Reads what is in the directory (made if missing) and opens a new epoch beside it. */
  static async open(options: SpoolOptions): Promise<Spool> {
    await mkdir(options.directory, { recursive: true, mode: 0o700 });
    const found = await recoverSpool(options.directory);
    if (found.damagedFrames > 0) options.log.warn({ frames: found.damagedFrames }, 'damaged frames in the spool');
    const spool = new Spool(options, found);
    await spool.#collect();
    return spool;
  }

  /** The epoch that new results go to. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Results that no watermark covers yet. */
  get depth(): number {
    let sum = 0;
    for (const lane of this.#lanes) sum += lane.depth;
    return sum;
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Results refused since the start because they could not be kept. */
  get refusedCount(): number {
    return this.#refused;
  }

  /** Lanes with something to send now or later, older epochs first. */
  lanes(): Lane[] {
    return [...this.#lanes];
  }

  isFresh(lane: Lane): boolean {
    return lane.epoch === this.#epoch;
  }

  /** From now on new results go to another epoch; what is older is drained beside it. */
  openEpoch(): void {
    this.#epoch = newId(this.#options.clock.now());
    this.#fresh = Array.from({ length: SHARD_COUNT }, (_, shard) => new Lane(this.#epoch, shard));
    for (const lane of this.#lanes) if (lane.depth === 0 && !lane.isDirty) this.#lanes.delete(lane);
    for (const lane of this.#fresh) this.#lanes.add(lane);
  }

  /** Numbers a result and keeps it; an urgent one is written at once, with all of its lane before it. */
  append(result: CheckResult, urgent: boolean): void {
    const lane = this.#fresh[shardOf(result.monitor_id)] as Lane;
    this.#dirty.add(lane);
    if (this.#pending >= this.#limits.maxPending || this.#isClosed) {
      this.#refused += 1;
      lane.refuseNext();
      return;
    }
    lane.add(result);
    this.#pending += 1;
    if (urgent || lane.pending.length >= MAX_BATCH_RESULTS) this.#flushLaneSoon(lane);
    else this.#timer ??= this.#options.clock.setTimer(FLUSH_AFTER_MS, () => this.#flushAllSoon());
  }

  /** Writes and syncs all that was added so far. */
  async flush(): Promise<void> {
    this.#flushAllSoon();
    while (this.#flushing) await this.#flushing;
  }

  /**
   * The batch of `lane` that holds `seq`, or the one that declares it lost; null when it is not synced yet. Several
   * small batches come as one. Numbers that are acknowledged come back as trimmed.
   */
  async read(lane: Lane, seq: number): Promise<PackedBatch | null> {
    if (seq > lane.synced) return null;
    if (seq <= lane.watermark) return packDropped(lane.epoch, this.#options.engine, seq, lane.watermark, 'trimmed');
    const segment = lane.segments.find((each) => (each.lanes.get(lane) as number) >= seq);
    if (!segment) return this.#lost(lane, seq, lane.synced);
    const refs = await this.#refsOf(segment, lane);
    return mergeBatches(await this.#partsFrom(segment, lane, refs, seq));
  }

  /** Takes note that the journal has all of the lane up to `watermark`; it never goes back. */
  trim(lane: Lane, watermark: number): void {
    const upTo = Math.min(watermark, lane.synced);
    if (upTo <= lane.watermark) return;
    this.#uncacheRange(lane, lane.watermark + 1, upTo);
    lane.watermark = upTo;
    while (lane.segments[0] && (lane.segments[0].lanes.get(lane) as number) <= upTo) lane.segments.shift();
    if (!this.isFresh(lane) && lane.depth === 0) this.#lanes.delete(lane);
  }

  /** Writes what is left and closes the files. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#urgentTimer?.cancel();
    await this.#file?.close();
    this.#file = null;
    for (const segment of this.#segments) await segment.release();
  }

  #flushLaneSoon(lane: Lane): void {
    lane.isUrgent = true;
    if (this.#urgentTimer || this.#wantsFlush) return;
    const sinceMs = this.#options.clock.monotonic() - this.#lastFlushMs;
    if (sinceMs >= URGENT_SPACING_MS) return this.#want('urgent');
    this.#urgentTimer = this.#options.clock.setTimer(URGENT_SPACING_MS - sinceMs, () => {
      this.#urgentTimer = null;
      this.#want('urgent');
    });
  }

  #flushAllSoon(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#want('all');
  }

  #want(what: 'urgent' | 'all'): void {
    if (this.#wantsFlush !== 'all') this.#wantsFlush = what;
    this.#flushing ??= this.#flushLoop().finally(() => {
      this.#flushing = null;
    });
  }

  async #flushLoop(): Promise<void> {
    // Whatever is added in the same turn of the event loop shares this flush.
    await Promise.resolve();
    while (this.#wantsFlush) {
      const all = this.#wantsFlush === 'all';
      this.#wantsFlush = null;
      this.#lastFlushMs = this.#options.clock.monotonic();
      await this.#flushOnce(all);
    }
  }

  async #flushOnce(all: boolean): Promise<void> {
    const taken = [...this.#dirty].filter((lane) => all || lane.isUrgent).map((lane) => lane.take());
    for (const each of taken) this.#dirty.delete(each.lane);
    for (const each of taken) this.#pending -= each.results.length;
    const mark = all ? { coverage: this.#options.coverage?.() ?? this.#lastCoverage } : null;
    try {
      const written = await this.#write(taken, mark);
      for (const each of taken) each.lane.synced = each.last;
      for (const ref of written) this.#cache(ref);
      if (taken.length > 0) this.#options.onSynced?.(taken.map((each) => each.lane));
    } catch (error) {
      this.#refuse(taken, error as NodeJS.ErrnoException);
    }
    await this.#collect();
  }

  async #write(taken: Taken[], mark: { coverage: Coverage | null } | null): Promise<BatchRef[]> {
    if (taken.length === 0 && !mark) return [];
    const segment = await this.#writable();
    const chunks: Uint8Array[] = [];
    const placed: [lane: Lane, ref: BatchRef][] = [];
    let offset = segment.size;
    const put = (frame: Parameters<typeof encodeFrame>[0], payload: Uint8Array): number => {
      const [header] = encodeFrame(frame, payload);
      chunks.push(header, payload);
      offset += header.length + payload.length;
      return offset - payload.length;
    };
    for (const each of taken) {
      const { lane } = each;
      for (const batch of packTaken(each, lane.synced + 1, this.#options.engine)) {
        const at = put({ kind: FRAME_BATCH, shard: lane.shard, count: batch.count, epoch: lane.epoch, first: batch.first, last: batch.last }, batch.bytes);
        const { first, last, count, bytes } = batch;
        placed.push([lane, { first, last, count, offset: at, length: bytes.length, isSound: true, bytes }]);
      }
    }
    const trims = mark ? this.#trimsToMark(segment) : [];
    if (mark) {
      const payload = encodeMark({ ...mark, trims: trims.map((lane) => [lane.epoch, lane.shard, lane.watermark]) });
      put({ kind: FRAME_MARK, shard: 0, count: 0, epoch: this.#epoch, first: 0, last: 0 }, payload);
    }
    await this.#appendAndSync(segment, Buffer.concat(chunks), offset);
    for (const [lane, ref] of placed) segment.add(lane, ref);
    if (mark) this.#marked(segment, mark.coverage, trims);
    return placed.map(([, ref]) => ref);
  }

  async #appendAndSync(segment: Segment, bytes: Buffer, sizeAfter: number): Promise<void> {
    const added = sizeAfter - segment.size;
    if (this.#bytes + added > this.#limits.maxBytes) throw Object.assign(new Error('the spool has reached its limit'), { code: 'ESPOOLFULL' });
    const file = this.#file as FileHandle;
    try {
      let written = 0;
      while (written < bytes.length) {
        const { bytesWritten } = await file.write(bytes, written, bytes.length - written, segment.size + written);
        written += bytesWritten;
      }
      await file.datasync();
      if (!this.#isNamed) await this.#syncName();
    } catch (error) {
      await this.#undo(segment);
      throw error;
    }
    segment.size = sizeAfter;
    this.#bytes += added;
  }

  #trimsToMark(segment: Segment): Lane[] {
    const isFirst = this.#markedSegment !== segment.id;
    return [...this.#lanes].filter((lane) => lane.watermark > (isFirst ? 0 : (this.#markedTrims.get(lane) ?? 0)));
  }

  #marked(segment: Segment, coverage: Coverage | null, trims: Lane[]): void {
    this.#markedSegment = segment.id;
    this.#lastCoverage = coverage;
    for (const lane of trims) this.#markedTrims.set(lane, lane.watermark);
    for (const lane of this.#markedTrims.keys()) if (!this.#lanes.has(lane)) this.#markedTrims.delete(lane);
  }

  /** The active segment, or a new one when it is full or there is none. */
  async #writable(): Promise<Segment> {
    if (this.#active && this.#active.size < this.#limits.segmentBytes) return this.#active;
    const id = (this.#segments[this.#segments.length - 1]?.id ?? 0) + 1;
    const segment = new Segment(id, segmentPath(this.#options.directory, id));
    segment.index = new Map();
    const file = await open(segment.path, 'w', 0o600);
    await this.#file?.close();
    this.#file = file;
    this.#active = segment;
    this.#segments.push(segment);
    this.#isNamed = false;
    return segment;
  }

  /** Makes the new segment's name as durable as its content. */
  async #syncName(): Promise<void> {
    const directory = await open(this.#options.directory, 'r');
    await directory.sync().finally(() => directory.close());
    this.#isNamed = true;
  }

  /** Nothing of a failed write may stay behind: its numbers are declared dropped. A failed sync ends the segment. */
  async #undo(segment: Segment): Promise<void> {
    try {
      await this.#file?.truncate(segment.size);
      await this.#file?.datasync();
    } catch {
      this.#active = null;
    }
  }

  #refuse(taken: Taken[], error: NodeJS.ErrnoException): void {
    let count = 0;
    for (const { lane, last, results } of taken) {
      count += results.length;
      lane.refuse(lane.synced + 1, last);
      this.#dirty.add(lane);
    }
    this.#refused += count;
    this.#timer ??= this.#options.clock.setTimer(FLUSH_AFTER_MS, () => this.#flushAllSoon());
    if (count > 0) this.#options.log.error({ code: error.code, err: error.message, results: count }, 'results could not be spooled and are dropped');
  }

  /** Keeps the bytes of what was just written while there is room, the oldest giving way. */
  #cache(ref: BatchRef): void {
    this.#cached.put(ref);
    this.#cachedBytes += ref.length;
    for (let oldest = this.#cached.peek(); oldest; oldest = this.#cached.peek()) {
      if (oldest.bytes && this.#cachedBytes <= this.#limits.cacheBytes) return;
      this.#uncache(oldest);
      this.#cached.take();
    }
  }

  #uncacheRange(lane: Lane, first: number, last: number): void {
    for (const segment of lane.segments) {
      const refs = segment.index?.get(lane) ?? [];
      for (let at = firstAtOrAfter(refs, first); at < refs.length && (refs[at] as BatchRef).last <= last; at += 1) this.#uncache(refs[at] as BatchRef);
      if ((segment.lanes.get(lane) as number) >= last) return;
    }
  }

  #uncache(ref: BatchRef): void {
    if (!ref.bytes) return;
    this.#cachedBytes -= ref.length;
    ref.bytes = null;
  }

  /** Deletes segments that are acknowledged, but never the one with the last mark or what follows it. */
  async #collect(): Promise<void> {
    for (const segment of [...this.#segments]) {
      if (segment === this.#active || segment.id >= this.#markedSegment || !segment.isAcknowledged) continue;
      this.#segments.splice(this.#segments.indexOf(segment), 1);
      this.#bytes -= segment.size;
      try {
        await segment.release();
        await unlink(segment.path);
      } catch (error) {
        this.#options.log.warn({ err: (error as Error).message }, 'a segment of the spool could not be deleted');
      }
    }
  }

  async #refsOf(segment: Segment, lane: Lane): Promise<BatchRef[]> {
    if (!segment.index) await this.#loadIndex(segment);
    return segment.index?.get(lane) ?? [];
  }

  async #loadIndex(segment: Segment): Promise<void> {
    const byKey = new Map([...segment.lanes.keys()].map((lane) => [`${lane.epoch}/${lane.shard}`, lane]));
    const bytes = await segment.read(0, segment.size);
    const loaded = this.#segments.filter((each) => each.index && each !== this.#active);
    const index = new Map<Lane, BatchRef[]>();
    scanFrames(bytes, ({ kind, epoch, shard, first, last, count, offset, length, isSound }) => {
      const lane = kind === FRAME_BATCH ? byKey.get(`${epoch}/${shard}`) : undefined;
      if (!lane) return;
      const refs = index.get(lane) ?? [];
      refs.push({ first, last, count, offset, length, isSound, bytes: null });
      index.set(lane, refs);
    });
    segment.index = index;
    for (const old of loaded.slice(0, Math.max(0, loaded.length - INDEXED_SEGMENTS + 1))) {
      old.index = null;
      await old.release();
    }
  }

  async #partsFrom(segment: Segment, lane: Lane, refs: BatchRef[], seq: number): Promise<PackedBatch[]> {
    let at = firstAtOrAfter(refs, seq);
    const head = refs[at];
    if (!head) return [this.#lost(lane, seq, Math.min(lane.synced, segment.lanes.get(lane) as number))];
    if (head.first > seq) return [this.#lost(lane, seq, head.first - 1)];
    const parts: PackedBatch[] = [];
    let count = 0;
    let size = 0;
    for (let ref = refs[at]; ref && ref.last <= lane.synced; ref = refs[++at]) {
      const isNext = parts.length === 0 || ref.first === (parts[parts.length - 1] as PackedBatch).last + 1;
      if (!isNext || (parts.length > 0 && (count + ref.count > MAX_BATCH_RESULTS || size + ref.length > MAX_BATCH_BYTES))) break;
      const bytes = ref.isSound ? await this.#bytesOf(segment, ref) : null;
      if (!bytes && parts.length > 0) break;
      if (!bytes) return [this.#lost(lane, Math.max(seq, ref.first), ref.last)];
      parts.push({ first: ref.first, last: ref.last, count: ref.count, bytes });
      count += ref.count;
      size += ref.length;
    }
    return parts;
  }

  async #bytesOf(segment: Segment, ref: BatchRef): Promise<Uint8Array | null> {
    if (ref.bytes) return ref.bytes;
    const bytes = await segment.read(ref.offset, ref.length);
    return bytes.length === ref.length ? bytes : null;
  }

  #lost(lane: Lane, first: number, last: number): PackedBatch {
    return packDropped(lane.epoch, this.#options.engine, first, last, 'corrupt');
  }
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
