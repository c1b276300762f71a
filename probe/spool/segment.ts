import { open, type FileHandle } from 'node:fs/promises';
import type { Lane } from './lane.ts';

/** Location of a batch. */
export interface BatchRef {
  first: number;
  last: number;
  count: number;
  offset: number;
  length: number;
  /** False if the payload is corrupt. */
  isIntact: boolean;
  /** Cached for a while after writing, so that sending need not read the file. */
  bytes: Uint8Array | null;
}

/** Batches by lane, in order. */
export type SegmentIndex = Map<Lane, BatchRef[]>;

/** One file of the log. */
export class Segment {
  readonly id: number;
  readonly path: string;
  size = 0;
  /** The last number of each lane in it. */
  readonly lanes = new Map<Lane, number>();
  /** Null while not in memory. */
  index: SegmentIndex | null = null;
  #reader: Promise<FileHandle> | null = null;
  #reads = 0;
  #isReleased = false;

  constructor(id: number, path: string) {
    this.id = id;
    this.path = path;
  }

  /** Whether the journal has all of it, according to these watermarks. */
  isAcknowledged(watermarkOf: (lane: Lane) => number): boolean {
    for (const [lane, last] of this.lanes) if (watermarkOf(lane) < last) return false;
    return true;
  }

  /** Records that this segment contains a batch. */
  add(lane: Lane, ref: BatchRef): void {
    if (lane.segments[lane.segments.length - 1] !== this) lane.segments.push(this);
    this.lanes.set(lane, Math.max(this.lanes.get(lane) ?? 0, ref.last));
    this.addToIndex(lane, ref);
  }

  addToIndex(lane: Lane, ref: BatchRef): void {
    const refs = this.index?.get(lane);
    if (refs) refs.push(ref);
    else this.index?.set(lane, [ref]);
  }

  /** Reads bytes; fewer if the file ends earlier. */
  async read(offset: number, length: number): Promise<Buffer> {
    if (this.#reads === 0) this.#isReleased = false;
    this.#reads += 1;
    try {
      const reader = await (this.#reader ??= open(this.path, 'r'));
      const bytes = Buffer.allocUnsafe(length);
      let size = 0;
      while (size < length) {
        const { bytesRead } = await reader.read(bytes, size, length - size, offset + size);
        if (bytesRead === 0) break;
        size += bytesRead;
      }
      return bytes.subarray(0, size);
    } catch (error) {
      // Opened again next time.
      this.#isReleased = true;
      throw error;
    } finally {
      this.#reads -= 1;
      if (this.#isReleased) await this.release();
    }
  }

  /** Closes the file opened by `read`, which reopens it when needed, once nobody is reading it. */
  async release(): Promise<void> {
    this.#isReleased = true;
    if (this.#reads > 0) return;
    const reader = this.#reader;
    this.#reader = null;
    await (await reader?.catch(() => null))?.close();
  }
}
