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
    const reader = await (this.#reader ??= this.#open());
    const bytes = Buffer.allocUnsafe(length);
    let size = 0;
    while (size < length) {
      const { bytesRead } = await reader.read(bytes, size, length - size, offset + size);
      if (bytesRead === 0) break;
      size += bytesRead;
    }
    return bytes.subarray(0, size);
  }

  /** Closes the file opened by `read`, which reopens it when needed. Reads in progress end first. */
  async release(): Promise<void> {
    const reader = this.#reader;
    this.#reader = null;
    await (await reader?.catch(() => null))?.close();
  }

  #open(): Promise<FileHandle> {
    return open(this.path, 'r').catch((error: unknown) => {
      this.#reader = null;
      throw error;
    });
  }
}
