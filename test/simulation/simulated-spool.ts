import { SHARD_COUNT, shardOf } from '../../shared/ids.ts';
import type { Timer } from '../../shared/time.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { BegunLanes, type NotedLane } from '../../probe/spool/begun-lanes.ts';
import { Lane } from '../../probe/spool/lane.ts';
import { mergeBatches, packDropped, packTaken, type PackedBatch } from '../../probe/spool/batches.ts';
import type { SpoolSource } from '../../probe/sending/sender.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const FLUSH_AFTER_MS = 1000;
const SYNC_MS = 3;
const ENGINE = 'simulated';

/** What outlives a probe's process: its synced batches and the recorded watermarks. */
export interface Disk {
  lanes: Map<string, {
    epoch: string;
    shard: number;
    watermark: number;
    synced: number;
    batches: PackedBatch[];
    results: CheckResult[];
  }>;
  /** What the last mark says of begun lanes. */
  begun: NotedLane[] | null;
}

/** The spool of one life of a probe on a disk in memory, with the real lanes, packing and reading. */
export class SimulatedSpool implements SpoolSource<Lane> {
  readonly #disk: Disk;
  readonly #process: SimulatedProcess;
  readonly #random: Random;
  readonly #lanes = new Set<Lane>();
  readonly #begun: BegunLanes;
  /** Watermarks that no mark has yet. */
  readonly #trims = new Map<Lane, number>();
  #fresh: Lane[] = [];
  #epoch = '';
  #timer: Timer | null = null;
  onSynced: () => void = () => undefined;

  /** With `reuse`, the newest epoch on disk continues instead of a new one, to test the consequences. */
  constructor(disk: Disk, process: SimulatedProcess, random: Random, reuse = false) {
    this.#disk = disk;
    this.#process = process;
    this.#random = random;
    for (const kept of disk.lanes.values()) {
      const lane = new Lane(kept.epoch, kept.shard);
      lane.watermark = kept.watermark;
      lane.synced = kept.synced;
      lane.next = kept.synced + 1;
      if (lane.depth > 0) this.#lanes.add(lane);
    }
    this.#begun = new BegunLanes([...this.#lanes], disk.begun);
    if (reuse) this.#goOn();
    else this.openEpoch();
    if (this.#begun.isWaiting) this.#flushLater();
  }

  #goOn(): void {
    this.#epoch = [...this.#disk.lanes.values()].at(-1)?.epoch ?? '';
    const found = [...this.#lanes].filter((lane) => lane.epoch === this.#epoch);
    this.#fresh = Array.from(
      { length: SHARD_COUNT },
      (_, shard) => found.find((lane) => lane.shard === shard) ?? this.#continued(shard),
    );
    for (const lane of this.#fresh) this.#lanes.add(lane);
    this.#begun.openEpoch(this.#fresh);
  }

  #continued(shard: number): Lane {
    const lane = new Lane(this.#epoch, shard);
    const kept = this.#kept(lane);
    lane.watermark = kept.watermark;
    lane.synced = kept.synced;
    lane.next = kept.synced + 1;
    return lane;
  }

  get depth(): number {
    return [...this.#lanes].reduce((sum, lane) => sum + lane.depth, 0);
  }

  lanes(): Lane[] {
    return [...this.#lanes];
  }

  sendable(): Lane[] {
    return this.#begun.lanes();
  }

  isFresh(lane: Lane): boolean {
    return lane.epoch === this.#epoch;
  }

  openEpoch(): void {
    this.#epoch = this.#random.uuid();
    this.#fresh = Array.from({ length: SHARD_COUNT }, (_, shard) => new Lane(this.#epoch, shard));
    for (const lane of this.#lanes) if (lane.depth === 0 && !lane.isDirty) this.#lanes.delete(lane);
    for (const lane of this.#fresh) this.#lanes.add(lane);
    this.#begun.openEpoch(this.#fresh);
  }

  append(result: CheckResult, isUrgent: boolean): void {
    (this.#fresh[shardOf(result.monitor_id)] as Lane).add(result);
    if (isUrgent) this.#flush();
    else this.#flushLater();
  }

  read(lane: Lane, seq: number): Promise<PackedBatch | null> {
    if (seq > lane.synced) return Promise.resolve(null);
    if (seq <= lane.watermark) {
      return Promise.resolve(packDropped(lane.epoch, ENGINE, seq, lane.watermark, 'trimmed'));
    }
    const batches = this.#kept(lane).batches.filter((batch) => batch.last >= seq);
    const batch = mergeBatches(batches.slice(0, 4));
    lane.sent = Math.max(lane.sent, batch.last);
    return Promise.resolve(batch);
  }

  trim(lane: Lane, watermark: number): void {
    if (this.#begun.answered(lane)) this.#flushLater();
    const upTo = Math.min(watermark, lane.synced);
    if (upTo <= lane.watermark) return;
    lane.watermark = upTo;
    // The watermark on disk may be older than the last trim; the probe then repeats those results after a
    // restart.
    if (this.#random.chance(0.7)) this.#mark(lane, upTo);
    else this.#trims.set(lane, upTo);
    if (!this.isFresh(lane) && lane.depth === 0) this.#lanes.delete(lane);
  }

  #mark(lane: Lane, watermark: number): void {
    const kept = this.#kept(lane);
    kept.watermark = Math.max(kept.watermark, watermark);
    kept.batches = kept.batches.filter((batch) => batch.last > watermark);
  }

  #flushLater(): void {
    this.#timer ??= this.#process.setTimer(FLUSH_AFTER_MS, () => this.#flush());
  }

  /** Waiting results count as spooled, and may be sent, once they are synced. */
  #flush(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const taken = [...this.#lanes].filter((lane) => lane.isDirty).map((lane) => lane.take());
    const note = this.#begun.note();
    const trims = [...this.#trims];
    this.#trims.clear();
    this.#process.setTimer(SYNC_MS, () => {
      this.#disk.begun = note.noted;
      for (const [lane, watermark] of trims) this.#mark(lane, watermark);
      for (const each of taken) {
        const kept = this.#kept(each.lane);
        kept.batches.push(...packTaken(each, kept.synced + 1, ENGINE));
        kept.results.push(...each.results);
        kept.synced = each.last;
        each.lane.synced = each.last;
      }
      this.#begun.written(note);
      this.onSynced();
    });
  }

  #kept(lane: Lane): NonNullable<ReturnType<Disk['lanes']['get']>> {
    const key = `${lane.epoch} ${lane.shard}`;
    let kept = this.#disk.lanes.get(key);
    if (!kept) {
      this.#disk.lanes.set(
        key,
        (kept = { epoch: lane.epoch, shard: lane.shard, watermark: 0, synced: 0, batches: [], results: [] }),
      );
    }
    return kept;
  }
}
