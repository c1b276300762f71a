import { mkdir } from 'node:fs/promises';
import { MAX_BATCH_RESULTS, type CheckResult } from '../../shared/contracts/result.ts';
import { newId, type ShardMap } from '../../shared/ids.ts';
import { OngoingFailure } from '../../shared/ongoing-failure.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { SlotRun } from '../scheduler/slots.ts';
import { BatchReader } from './batch-reader.ts';
import type { PackedBatch } from './batches.ts';
import { StartedLanes } from './started-lanes.ts';
import { Lane, type Taken } from './lane.ts';
import type { Coverage } from './mark.ts';
import { recoverSpool, type Recovered } from './recovery.ts';
import { SegmentLog } from './segment-log.ts';
import type { BatchRef } from './segment.ts';

export interface SpoolLimits {
  /** Limit for all files. When full, the oldest results are kept and new ones refused. */
  maxBytes: number;
  segmentBytes: number;
  /** Maximum results waiting for a stuck write; more are refused. */
  maxPending: number;
  /** Maximum bytes of batches cached after writing. */
  cacheBytes: number;
}

export const SPOOL_LIMITS: SpoolLimits = Object.freeze({
  maxBytes: 1024 ** 3, segmentBytes: 4 * 1024 ** 2, maxPending: 50_000, cacheBytes: 8 * 1024 ** 2,
});

export interface SpoolOptions {
  directory: string;
  shardMap: ShardMap;
  clock: Clock;
  log: Log;
  /** Probe version as carried by batches. */
  engine: string;
  limits?: SpoolLimits;
  /** How far the schedule is covered once everything added so far is written; null if unknown. */
  coverage?: () => Coverage | null;
  /** Called with lanes that have something new to send. */
  onSynced?: (lanes: Lane[]) => void;
  /** Called with the number of results that could not be stored. */
  onRefused?: (count: number) => void;
}

/** How long a success may wait for others to share its flush. */
const FLUSH_AFTER_MS = 1000;
/** Minimum time between urgent flushes, so that a burst of failures shares its syncs. */
const URGENT_SPACING_MS = 5;

/**
 * The probe's durable queue: an append-only log of packed batches in segments. A result may be sent once its
 * flush is synced. Each opening starts a new epoch and segment; older ones are only read. A corrupt frame
 * loses only itself and is declared as dropped.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #limits: SpoolLimits;
  readonly #log: SegmentLog;
  readonly #reader: BatchReader;
  readonly #lanes = new Set<Lane>();
  readonly #dirty = new Set<Lane>();
  readonly #startedLanes: StartedLanes;
  readonly #failure: OngoingFailure;
  #epoch = '';
  #fresh: Lane[] = [];
  #pending = 0;
  #refused = 0;
  #lastCoverage: Coverage | null;
  #timer: Timer | null = null;
  #urgentTimer: Timer | null = null;
  #flushing: Promise<void> | null = null;
  #wantsFlush: 'urgent' | 'all' | null = null;
  #lastFlushMs = -Infinity;
  #isClosed = false;
  readonly recovered: { coverage: Coverage | null; recorded: ReadonlyMap<string, SlotRun[]> };

  private constructor(options: SpoolOptions, found: Recovered) {
    const { directory, log, engine, limits = SPOOL_LIMITS } = options;
    this.#options = options;
    this.#limits = limits;
    this.#log = new SegmentLog(
      { directory, log, engine, maxBytes: limits.maxBytes, segmentBytes: limits.segmentBytes },
      found.segments,
    );
    this.#reader = new BatchReader({
      engine, cacheBytes: limits.cacheBytes, sealed: () => this.#log.sealed(),
    });
    for (const lane of found.lanes.values()) if (lane.depth > 0) this.#lanes.add(lane);
    this.#startedLanes = new StartedLanes([...this.#lanes], found.started, options.shardMap);
    this.#failure = new OngoingFailure({
      clock: options.clock, log, level: 'error', countField: 'results',
      message: 'results could not be spooled and are dropped', recoveredMessage: 'results are spooled again',
    });
    this.recovered = { coverage: found.coverage, recorded: found.recorded };
    this.#lastCoverage = found.coverage;
    this.openEpoch();
    if (this.#startedLanes.isWaiting) this.#flushAllLater();
  }

  /** Reads the directory, creating it if missing, and opens a new epoch. */
  static async open(options: SpoolOptions): Promise<Spool> {
    await mkdir(options.directory, { recursive: true, mode: 0o700 });
    const found = await recoverSpool(options.directory);
    if (found.damagedFrames > 0) {
      options.log.warn({ frames: found.damagedFrames }, 'damaged frames in the spool');
    }
    return new Spool(options, found);
  }

  /** The epoch of new results. */
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
    return this.#log.bytes;
  }

  /** Results refused since the start because they could not be stored. */
  get refusedCount(): number {
    return this.#refused;
  }

  /** Lanes with something to send now or later, older epochs first. */
  lanes(): Lane[] {
    return [...this.#lanes];
  }

  /** Lanes that may be sent now. */
  sendable(): Lane[] {
    return this.#startedLanes.lanes();
  }

  isFresh(lane: Lane): boolean {
    return lane.epoch === this.#epoch;
  }

  /** Starts a new epoch for new results; older ones are drained alongside. */
  openEpoch(): void {
    this.#epoch = newId(this.#options.clock.now());
    this.#fresh = this.#options.shardMap.all.map((shard) => new Lane(this.#epoch, shard));
    for (const lane of this.#lanes) if (lane.depth === 0 && !lane.isDirty) this.#lanes.delete(lane);
    for (const lane of this.#fresh) this.#lanes.add(lane);
    this.#startedLanes.openEpoch(this.#fresh);
  }

  /** Numbers and stores a result. An urgent one is written immediately, preceded by the rest of its lane. */
  append(result: CheckResult, isUrgent: boolean): void {
    const lane = this.#fresh[this.#options.shardMap.of(result.monitor_id)] as Lane;
    this.#dirty.add(lane);
    if (this.#pending >= this.#limits.maxPending || this.#isClosed) {
      this.#countRefused(1);
      lane.refuseNext();
      return;
    }
    lane.add(result);
    this.#pending += 1;
    if (isUrgent || lane.pending.length >= MAX_BATCH_RESULTS) this.#flushLaneUrgently(lane);
    else this.#flushAllLater();
  }

  /** Writes and syncs everything added so far. */
  async flush(): Promise<void> {
    this.#flushAllNow();
    while (this.#flushing) await this.#flushing;
  }

  /** Like `BatchReader.read`, for a batch about to be sent. */
  async read(lane: Lane, seq: number): Promise<PackedBatch | null> {
    lane.sent = Math.max(lane.sent, Math.min(seq, lane.synced));
    const batch = await this.#reader.read(lane, seq);
    lane.sent = Math.max(lane.sent, batch?.last ?? 0);
    return batch;
  }

  /** Records that the journal has the lane up to `watermark`, which never decreases. */
  trim(lane: Lane, watermark: number): void {
    if (this.#startedLanes.onResponse(lane)) this.#flushAllLater();
    const upTo = Math.min(watermark, lane.synced);
    if (upTo <= lane.watermark) return;
    this.#reader.uncache(lane, lane.watermark + 1, upTo);
    lane.watermark = upTo;
    while (lane.segments[0] && (lane.segments[0].lanes.get(lane) as number) <= upTo) lane.segments.shift();
    if (!this.isFresh(lane) && lane.depth === 0) this.#lanes.delete(lane);
  }

  /** Writes what is pending and closes the files. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#urgentTimer?.cancel();
    await this.#log.close();
  }

  #flushLaneUrgently(lane: Lane): void {
    lane.isUrgent = true;
    if (this.#urgentTimer || this.#wantsFlush) return;
    const sinceMs = this.#options.clock.monotonic() - this.#lastFlushMs;
    if (sinceMs >= URGENT_SPACING_MS) return this.#requestFlush('urgent');
    this.#urgentTimer = this.#options.clock.setTimer(URGENT_SPACING_MS - sinceMs, () => {
      this.#urgentTimer = null;
      this.#requestFlush('urgent');
    });
  }

  #flushAllLater(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#options.clock.setTimer(FLUSH_AFTER_MS, () => this.#flushAllNow());
  }

  #flushAllNow(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#requestFlush('all');
  }

  #requestFlush(what: 'urgent' | 'all'): void {
    if (this.#wantsFlush !== 'all') this.#wantsFlush = what;
    this.#flushing ??= this.#flushLoop().finally(() => {
      this.#flushing = null;
    });
  }

  async #flushLoop(): Promise<void> {
    // Results added in the same turn of the event loop share this flush.
    await Promise.resolve();
    while (this.#wantsFlush) {
      const all = this.#wantsFlush === 'all' || this.#mustNote();
      this.#wantsFlush = null;
      this.#lastFlushMs = this.#options.clock.monotonic();
      await this.#flushOnce(all);
    }
  }

  async #flushOnce(all: boolean): Promise<void> {
    const taken = [...this.#dirty].filter((lane) => all || lane.isUrgent).map((lane) => lane.take());
    for (const each of taken) this.#dirty.delete(each.lane);
    for (const each of taken) this.#pending -= each.results.length;
    if (all) this.#lastCoverage = this.#options.coverage?.() ?? this.#lastCoverage;
    const note = all ? this.#startedLanes.note() : null;
    const mark = note ? { coverage: this.#lastCoverage, started: note.noted } : null;
    const written = await this.#log.write({ epoch: this.#epoch, taken, mark })
      .catch((error: NodeJS.ErrnoException) => {
      this.#refuse(taken, error);
      return null;
    });
    if (note) this.#startedLanes.written(note);
    if (written) this.#written(taken, written);
    const sendable = new Set([...(written ? taken.map((each) => each.lane) : []), ...(note?.starting ?? [])]);
    if (sendable.size > 0) this.#options.onSynced?.([...sendable]);
    await this.#log.deleteAcknowledged(written === null);
  }

  #written(taken: Taken[], written: BatchRef[]): void {
    if (taken.length > 0) this.#failure.recovered();
    for (const each of taken) each.lane.synced = each.last;
    for (const ref of written) this.#reader.cache(ref);
  }

  /**
   * A lane's first batch is written together with its start note, so that it need not wait for the next one.
   */
  #mustNote(): boolean {
    for (const lane of this.#dirty) if (lane.isUrgent && this.#startedLanes.isUnstarted(lane)) return true;
    return false;
  }

  #countRefused(count: number): void {
    this.#refused += count;
    this.#options.onRefused?.(count);
  }

  #refuse(taken: Taken[], error: NodeJS.ErrnoException): void {
    let count = 0;
    for (const { lane, last, results } of taken) {
      count += results.length;
      lane.refuse(lane.synced + 1, last);
      this.#dirty.add(lane);
    }
    this.#countRefused(count);
    this.#flushAllLater();
    if (count > 0) this.#failure.record({ code: error.code, err: error.message }, count);
  }
}
