import type { Timer } from '../../shared/time.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { StartedLanes, type NotedLane } from '../../probe/spool/started-lanes.ts';
import { Lane } from '../../probe/spool/lane.ts';
import { mergeBatches, packDropped, packTaken, type PackedBatch } from '../../probe/spool/batches.ts';
import type { SpoolSource } from '../../probe/sending/sender.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { shardMap } from '../helpers/shard-map.ts';

const FLUSH_AFTER_MS = 1000;
const SYNC_MS = 3;
const ENGINE = 'simulated';

/** The data that survives a probe's process: its synced batches and the recorded watermarks. */
export interface Disk {
  lanes: Map<string, {
    epoch: string;
    shard: number;
    watermark: number;
    synced: number;
    batches: PackedBatch[];
    results: CheckResult[];
  }>;
  /** The started lanes in the latest mark. */
  started: NotedLane[];
}

/** The spool of one probe process on an in-memory disk, with the real lanes, packing and reading. */
export class SimulatedSpool implements SpoolSource<Lane> {
  readonly #disk: Disk;
  readonly #process: SimulatedProcess;
  readonly #random: Random;
  readonly #lanes = new Set<Lane>();
  readonly #startedLanes: StartedLanes;
  /** Watermarks that are in no mark yet. */
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
    for (const stored of disk.lanes.values()) {
      const lane = new Lane(stored.epoch, stored.shard);
      lane.watermark = stored.watermark;
      lane.synced = stored.synced;
      lane.next = stored.synced + 1;
      if (lane.depth > 0) this.#lanes.add(lane);
    }
    this.#startedLanes = new StartedLanes([...this.#lanes], disk.started, shardMap);
    if (reuse) this.#continueEpoch();
    else this.openEpoch();
    if (this.#startedLanes.isWaiting) this.#flushLater();
  }

  #continueEpoch(): void {
    this.#epoch = [...this.#disk.lanes.values()].at(-1)?.epoch ?? '';
    const found = [...this.#lanes].filter((lane) => lane.epoch === this.#epoch);
    this.#fresh = Array.from(
      { length: shardMap.count },
      (_, shard) => found.find((lane) => lane.shard === shard) ?? this.#continued(shard),
    );
    for (const lane of this.#fresh) this.#lanes.add(lane);
    this.#startedLanes.openEpoch(this.#fresh);
  }

  #continued(shard: number): Lane {
    const lane = new Lane(this.#epoch, shard);
    const stored = this.#storedLane(lane);
    lane.watermark = stored.watermark;
    lane.synced = stored.synced;
    lane.next = stored.synced + 1;
    return lane;
  }

  get depth(): number {
    return [...this.#lanes].reduce((sum, lane) => sum + lane.depth, 0);
  }

  lanes(): Lane[] {
    return [...this.#lanes];
  }

  sendable(): Lane[] {
    return this.#startedLanes.lanes();
  }

  isFresh(lane: Lane): boolean {
    return lane.epoch === this.#epoch;
  }

  openEpoch(): void {
    this.#epoch = this.#random.uuid();
    this.#fresh = Array.from({ length: shardMap.count }, (_, shard) => new Lane(this.#epoch, shard));
    for (const lane of this.#lanes) if (lane.depth === 0 && !lane.isDirty) this.#lanes.delete(lane);
    for (const lane of this.#fresh) this.#lanes.add(lane);
    this.#startedLanes.openEpoch(this.#fresh);
  }

  append(result: CheckResult, isUrgent: boolean): void {
    (this.#fresh[shardMap.of(result.monitor_id)] as Lane).add(result);
    if (isUrgent) this.#flush();
    else this.#flushLater();
  }

  read(lane: Lane, seq: number): Promise<PackedBatch | null> {
    if (seq > lane.synced) return Promise.resolve(null);
    if (seq <= lane.watermark) {
      return Promise.resolve(packDropped(lane.epoch, ENGINE, seq, lane.watermark, 'trimmed'));
    }
    const batches = this.#storedLane(lane).batches.filter((batch) => batch.last >= seq);
    const batch = mergeBatches(batches.slice(0, 4));
    lane.sent = Math.max(lane.sent, batch.last);
    return Promise.resolve(batch);
  }

  trim(lane: Lane, watermark: number): void {
    if (this.#startedLanes.onResponse(lane)) this.#flushLater();
    const upTo = Math.min(watermark, lane.synced);
    if (upTo <= lane.watermark) return;
    lane.watermark = upTo;
    // The watermark on disk may be older than the last trim. The probe then resends those results after a restart.
    if (this.#random.chance(0.7)) this.#mark(lane, upTo);
    else this.#trims.set(lane, upTo);
    if (!this.isFresh(lane) && lane.depth === 0) this.#lanes.delete(lane);
  }

  #mark(lane: Lane, watermark: number): void {
    const stored = this.#storedLane(lane);
    stored.watermark = Math.max(stored.watermark, watermark);
    stored.batches = stored.batches.filter((batch) => batch.last > watermark);
  }

  #flushLater(): void {
    this.#timer ??= this.#process.setTimer(FLUSH_AFTER_MS, () => this.#flush());
  }

  /** Results count as spooled, and may be sent, once they are synced. */
  #flush(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const taken = [...this.#lanes].filter((lane) => lane.isDirty).map((lane) => lane.take());
    const note = this.#startedLanes.note();
    const trims = [...this.#trims];
    this.#trims.clear();
    this.#process.setTimer(SYNC_MS, () => {
      this.#disk.started = note.noted;
      for (const [lane, watermark] of trims) this.#mark(lane, watermark);
      for (const each of taken) {
        const stored = this.#storedLane(each.lane);
        stored.batches.push(...packTaken(each, stored.synced + 1, ENGINE));
        stored.results.push(...each.results);
        stored.synced = each.last;
        each.lane.synced = each.last;
      }
      this.#startedLanes.written(note);
      this.onSynced();
    });
  }

  #storedLane(lane: Lane): NonNullable<ReturnType<Disk['lanes']['get']>> {
    const key = `${lane.epoch} ${lane.shard}`;
    let stored = this.#disk.lanes.get(key);
    if (!stored) {
      this.#disk.lanes.set(
        key,
        (stored = { epoch: lane.epoch, shard: lane.shard, watermark: 0, synced: 0, batches: [], results: [] }),
      );
    }
    return stored;
  }
}
