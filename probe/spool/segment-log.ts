import { open, unlink, type FileHandle } from 'node:fs/promises';
import type { Log } from '../../shared/log.ts';
import { syncDirectoryOf } from '../../shared/write-file-safely.ts';
import { packTaken } from './batches.ts';
import { encodeFrame, FRAME_BATCH, FRAME_MARK } from './frame.ts';
import type { Lane, Taken } from './lane.ts';
import type { NotedLane } from './started-lanes.ts';
import { encodeMark, type Coverage } from './mark.ts';
import { segmentPath } from './recovery.ts';
import { Segment, type BatchRef } from './segment.ts';

export interface SegmentLogOptions {
  directory: string;
  log: Log;
  /** Probe version as carried by batches. */
  engine: string;
  maxBytes: number;
  segmentBytes: number;
}

/** The contents of one flush. A mark covers everything written before it and all of `taken`. */
export interface Flush {
  epoch: string;
  taken: Taken[];
  mark: { coverage: Coverage | null; started: NotedLane[] } | null;
}

/** A lane's entry in a mark: its watermark and its last number. */
interface LaneMark {
  watermark: number;
  end: number;
}

/** The spool's files: one is appended to; older ones are only read, and deleted once acknowledged. */
export class SegmentLog {
  readonly #options: SegmentLogOptions;
  readonly #segments: Segment[];
  #bytes: number;
  #file: FileHandle | null = null;
  #active: Segment | null = null;
  /** Whether the active segment's directory entry is durable. */
  #isNamed = false;
  /** The segment with the last mark: it and all later ones are retained. */
  #markedSegment: number;
  /** The state that a restart would find. */
  #marked = new Map<Lane, LaneMark>();

  constructor(options: SegmentLogOptions, segments: Segment[]) {
    this.#options = options;
    this.#segments = segments;
    this.#bytes = segments.reduce((sum, segment) => sum + segment.size, 0);
    this.#markedSegment = segments[0]?.id ?? 0;
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Segments that are no longer written to. */
  sealed(): Segment[] {
    return this.#segments.filter((segment) => segment !== this.#active);
  }

  /**
   * Writes and syncs a flush and returns its batches in order. Rejects and leaves nothing behind if it
   * doesn't fit.
   */
  async write(flush: Flush): Promise<BatchRef[]> {
    if (flush.taken.length === 0 && !flush.mark) return [];
    const segment = await this.#writable();
    const frames = new FrameBuffer(segment.size);
    const placed = this.#placeBatches(flush, frames);
    const marks = flush.mark ? this.#placeMark(flush, flush.mark, segment, frames) : null;
    await this.#appendAndSync(segment, frames);
    for (const [lane, ref] of placed) segment.add(lane, ref);
    if (marks) {
      this.#markedSegment = segment.id;
      this.#marked = marks;
    }
    return placed.map(([, ref]) => ref);
  }

  /**
   * Deletes acknowledged segments, but never the one with the last mark or later ones. Normally marks the
   * watermarks first, since a restart would take deleted numbers for lost; if space `isShort`, it accepts
   * that.
   */
  async deleteAcknowledged(isShort: boolean): Promise<void> {
    const watermarkOf = (lane: Lane): number =>
      (isShort ? lane.watermark : (this.#marked.get(lane)?.watermark ?? 0));
    for (const segment of this.sealed()) {
      if (segment.id >= this.#markedSegment || !segment.isAcknowledged(watermarkOf)) continue;
      this.#segments.splice(this.#segments.indexOf(segment), 1);
      this.#bytes -= segment.size;
      try {
        await segment.release();
        await unlink(segment.path);
      } catch (error) {
        this.#options.log.warn(
          { err: (error as Error).message }, 'could not delete a spool segment',
        );
      }
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
    for (const segment of this.#segments) await segment.release();
  }

  #placeBatches(flush: Flush, frames: FrameBuffer): [lane: Lane, ref: BatchRef][] {
    const placed: [lane: Lane, ref: BatchRef][] = [];
    for (const taken of flush.taken) {
      const { lane } = taken;
      for (const { first, last, count, bytes } of packTaken(taken, lane.synced + 1, this.#options.engine)) {
        const offset =
          frames.put({ kind: FRAME_BATCH, shard: lane.shard, count, epoch: lane.epoch, first, last }, bytes);
        placed.push([lane, { first, last, count, offset, length: bytes.length, isIntact: true, bytes }]);
      }
    }
    return placed;
  }

  /** Records what has changed since the last mark; the first mark of a segment records everything. */
  #placeMark(
    flush: Flush, { coverage, started }: NonNullable<Flush['mark']>, segment: Segment, frames: FrameBuffer,
  ): Map<Lane, LaneMark> {
    const marks = new Map(this.#segments.flatMap((each) => [...each.lanes.keys()]).map(
      (lane) => [lane, { watermark: lane.watermark, end: lane.synced }],
    ));
    for (const { lane, last } of flush.taken) marks.set(lane, { watermark: lane.watermark, end: last });
    const previous = this.#markedSegment === segment.id ? this.#marked : new Map<Lane, LaneMark>();
    const moved = (of: keyof LaneMark): [string, number, number][] => [...marks].flatMap(([lane, mark]) =>
      (mark[of] > (previous.get(lane)?.[of] ?? 0) ? [[lane.epoch, lane.shard, mark[of]]] : []));
    const payload = encodeMark({ coverage, trims: moved('watermark'), ends: moved('end'), started });
    frames.put({ kind: FRAME_MARK, shard: 0, count: 0, epoch: flush.epoch, first: 0, last: 0 }, payload);
    return marks;
  }

  async #appendAndSync(segment: Segment, frames: FrameBuffer): Promise<void> {
    const bytes = frames.take();
    if (this.#bytes + bytes.length > this.#options.maxBytes) {
      throw Object.assign(new Error('the spool has reached its limit'), { code: 'ESPOOLFULL' });
    }
    const file = this.#file as FileHandle;
    try {
      for (let written = 0; written < bytes.length; ) {
        written += (await file.write(
          bytes, written, bytes.length - written, segment.size + written,
        )).bytesWritten;
      }
      await file.datasync();
      if (!this.#isNamed) await syncDirectoryOf(segment.path);
      this.#isNamed = true;
    } catch (error) {
      await this.#undo(segment);
      throw error;
    }
    segment.size += bytes.length;
    this.#bytes += bytes.length;
  }

  /** Removes a failed write, whose numbers are declared as dropped. A failed sync seals the segment. */
  async #undo(segment: Segment): Promise<void> {
    try {
      await this.#file?.truncate(segment.size);
      await this.#file?.datasync();
    } catch {
      this.#active = null;
    }
  }

  /** The active segment, or a new one if it is full or there is none. */
  async #writable(): Promise<Segment> {
    if (this.#active && this.#active.size < this.#options.segmentBytes) return this.#active;
    const id = (this.#segments[this.#segments.length - 1]?.id ?? 0) + 1;
    const segment = new Segment(id, segmentPath(this.#options.directory, id));
    segment.index = new Map();
    const file = await open(segment.path, 'w', 0o600);
    await this.#file?.close();
    this.#file = file;
    this.#active = segment;
    this.#isNamed = false;
    this.#segments.push(segment);
    return segment;
  }
}

/** Frames to be written at once, starting at `start`. */
class FrameBuffer {
  readonly #chunks: Uint8Array[] = [];
  #end: number;

  constructor(start: number) {
    this.#end = start;
  }

  /** Returns the payload's offset in the file. */
  put(frame: Parameters<typeof encodeFrame>[0], payload: Uint8Array): number {
    const [header] = encodeFrame(frame, payload);
    this.#chunks.push(header, payload);
    this.#end += header.length + payload.length;
    return this.#end - payload.length;
  }

  take(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
