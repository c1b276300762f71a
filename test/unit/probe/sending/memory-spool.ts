import type { PackedBatch } from '../../../../probe/spool/batches.ts';

/** A lane whose batches have 10 numbers each. */
export interface MemoryLane {
  epoch: string;
  shard: number;
  watermark: number;
  synced: number;
  isInDoubt: boolean;
}

export interface Content {
  epoch: string;
  shard: number;
  first: number;
  last: number;
  trimmed: boolean;
}

/** A spool that stores only numbers: a batch is JSON with its range. */
export class MemorySpool {
  epoch = 1;
  #lanes: MemoryLane[] = [];

  constructor(shards: number[]) {
    this.shards = shards;
    this.#open();
  }

  readonly shards: number[];

  lanes(): MemoryLane[] {
    return this.#lanes;
  }

  sendable(): MemoryLane[] {
    return this.#lanes;
  }

  isFresh(lane: MemoryLane): boolean {
    return lane.epoch === String(this.epoch);
  }

  fresh(shard: number): MemoryLane {
    return this.#lanes.find((lane) => this.isFresh(lane) && lane.shard === shard) as MemoryLane;
  }

  openEpoch(): void {
    this.epoch += 1;
    this.#open();
  }

  read(lane: MemoryLane, seq: number): Promise<PackedBatch | null> {
    if (seq > lane.synced) return Promise.resolve(null);
    const trimmed = seq <= lane.watermark;
    const first = seq;
    const last = trimmed ? lane.watermark : Math.min(lane.synced, Math.ceil(seq / 10) * 10);
    const content: Content = { epoch: lane.epoch, shard: lane.shard, first, last, trimmed };
    return Promise.resolve({
      first, last, count: last - first + 1, bytes: Buffer.from(JSON.stringify(content)),
    });
  }

  trim(lane: MemoryLane, watermark: number): void {
    lane.watermark = Math.max(lane.watermark, Math.min(watermark, lane.synced));
    if (!this.isFresh(lane) && lane.watermark === lane.synced) {
      this.#lanes = this.#lanes.filter((each) => each !== lane);
    }
  }

  #open(): void {
    for (const shard of this.shards) {
      this.#lanes.push({ epoch: String(this.epoch), shard, watermark: 0, synced: 0, isInDoubt: false });
    }
  }
}

/** The owner of the shards: accepts each lane strictly in order, according to the ingest rules. */
export class Owner {
  readonly watermarks = new Map<string, number>();
  readonly taken: (Content & { atMs: number })[] = [];
  isTaking = true;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  take(payload: Uint8Array): Uint8Array {
    const content = JSON.parse(Buffer.from(payload).toString()) as Content;
    const key = `${content.epoch}/${content.shard}`;
    const watermark = this.watermarks.get(key) ?? 0;
    if (this.isTaking && content.first <= watermark + 1 && content.last > watermark) {
      this.taken.push({ ...content, first: watermark + 1, atMs: this.#now() });
      this.watermarks.set(key, content.last);
    }
    return Buffer.from(JSON.stringify({ v: 1, watermark: this.watermarks.get(key) ?? 0 }));
  }
}
