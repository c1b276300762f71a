import { decodeJson } from '../../shared/contracts/decode-json.ts';
import { batchReply } from '../../shared/contracts/result.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { BusError } from '../ports.ts';
import type { PackedBatch } from '../spool/batches.ts';

/** The lane of a spool as its sender sees it. */
export interface LaneSource {
  readonly epoch: string;
  readonly shard: number;
  readonly watermark: number;
  readonly synced: number;
  /** Begun by an earlier life, and not answered in this one. */
  readonly isInDoubt: boolean;
}

export interface LaneSenderOptions<Lane extends LaneSource> {
  lane: Lane;
  clock: Clock;
  /** From 0 (included) to 1. */
  random: () => number;
  /** Batches and bytes that may be under way. */
  maxBatches: () => number;
  maxBytes: number;
  /** The batch that holds a number, as `Spool.read`. */
  read: (lane: Lane, seq: number) => Promise<PackedBatch | null>;
  trim: (lane: Lane, watermark: number) => void;
  request: (lane: Lane, bytes: Uint8Array) => Promise<Uint8Array>;
  /** Asks for a place among all that is under way; false when there is none. */
  acquire: (bytes: number) => boolean;
  release: (bytes: number) => void;
  /** Called at every answer with the watermark before and after. */
  onProgress: (lane: Lane, from: number, to: number) => void;
  /** Called when taking an answer fails: a fault of ours. */
  onFailed: (error: unknown) => void;
}

/** First and longest wait before another try, ms. */
const BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
const HURRIED_BACKOFF_MS = 200;
const NO_RESPONDERS_MS = 500;
/** Batches without an answer, in windows, those included that a later round has given up on. */
const UNANSWERED_WINDOWS = 2;

/**
 * Sends one lane in order, go-back-N: a few batches under way, from the watermark again when an answer is
 * missing or says so, one batch at a time until an answer comes. Never gives up.
 */
export class LaneSender<Lane extends LaneSource = LaneSource> {
  readonly #options: LaneSenderOptions<Lane>;
  #nextSeq: number;
  #underWay = 0;
  #bytesUnderWay = 0;
  /** Of all rounds: a lost request is held by the bus until its time is up. */
  #unanswered = 0;
  #window: number;
  #failures = 0;
  #longestWaitMs = LONGEST_BACKOFF_MS;
  /** Answers of an older round move the watermark and nothing else. */
  #round = 0;
  /** Below the watermark: the controller asks for what is gone. */
  #askedBelow: number | null = null;
  #wait: Timer | null = null;
  #isReading = false;
  #isStopped = false;

  constructor(options: LaneSenderOptions<Lane>) {
    this.#options = options;
    this.#nextSeq = options.lane.watermark + 1;
    this.#window = options.maxBatches();
  }

  get lane(): Lane {
    return this.#options.lane;
  }

  get hasUnsent(): boolean {
    return this.#nextSeq <= this.lane.synced;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && !this.hasUnsent;
  }

  /** Sends from the watermark again, now: the way to the controller is open again. */
  restart(): void {
    this.#failures = 0;
    this.#window = 2;
    this.#rewind(0);
  }

  /** From now on there is little time: waits are short. */
  hurry(): void {
    this.#longestWaitMs = HURRIED_BACKOFF_MS;
    if (this.#wait) this.restart();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wait?.cancel();
  }

  /** Sends the next batch when window, place and spool allow; true when one went out. */
  async pump(): Promise<boolean> {
    if (this.#isStopped || this.#isReading || this.#wait || !this.hasUnsent) return false;
    const most = this.#options.maxBatches();
    if (this.#underWay >= Math.min(this.#window, most) || this.#unanswered >= UNANSWERED_WINDOWS * most) {
      return false;
    }
    const round = this.#round;
    this.#isReading = true;
    const batch = await this.#options.read(this.lane, this.#nextSeq).catch(() => null).finally(() => {
      this.#isReading = false;
    });
    if (round !== this.#round || this.#isStopped || !batch) return false;
    const size = batch.bytes.length;
    if (this.#underWay > 0 && this.#bytesUnderWay + size > this.#options.maxBytes) return false;
    if (!this.#options.acquire(size)) return false;
    this.#nextSeq = batch.last + 1;
    this.#send(batch, round).catch(this.#options.onFailed);
    return true;
  }

  async #send(batch: PackedBatch, round: number): Promise<void> {
    const size = batch.bytes.length;
    this.#underWay += 1;
    this.#unanswered += 1;
    this.#bytesUnderWay += size;
    let reply: Uint8Array;
    try {
      reply = await this.#options.request(this.lane, batch.bytes);
    } catch (error) {
      this.#release(size, round);
      return this.#failed(round, error);
    }
    this.#release(size, round);
    this.#takeReply(batch, round, decodeJson(batchReply, reply)?.watermark ?? null);
  }

  #release(size: number, round: number): void {
    this.#options.release(size);
    this.#unanswered -= 1;
    if (round !== this.#round) return;
    this.#underWay -= 1;
    this.#bytesUnderWay -= size;
  }

  #takeReply(batch: PackedBatch, round: number, watermark: number | null): void {
    if (watermark === null) return this.#failed(round, new BusError('closed'));
    const before = this.lane.watermark;
    this.#options.trim(this.lane, watermark);
    if (this.#askedBelow === null) this.#nextSeq = Math.max(this.#nextSeq, this.lane.watermark + 1);
    if (round === this.#round) {
      if (watermark >= batch.last) this.#accepted(watermark);
      else this.#goBack(watermark, before);
    }
    this.#options.onProgress(this.lane, before, this.lane.watermark);
  }

  #accepted(watermark: number): void {
    this.#failures = 0;
    this.#window = Math.min(this.#window * 2, this.#options.maxBatches());
    if (watermark >= this.lane.watermark) this.#askedBelow = null;
  }

  /**
   * The controller wants another number next: at once when something has moved, later when it could take
   * nothing.
   */
  #goBack(watermark: number, before: number): void {
    const hasMoved = watermark > before || (watermark < before && this.#askedBelow !== watermark);
    this.#window = Math.max(1, this.#window >>> 1);
    this.#failures = hasMoved ? 0 : this.#failures + 1;
    this.#rewind(hasMoved ? 0 : this.#backoffMs(BACKOFF_MS));
    this.#askedBelow = watermark < before ? watermark : null;
    this.#nextSeq = watermark + 1;
  }

  #failed(round: number, error: unknown): void {
    if (this.#isStopped) return;
    if (round === this.#round) {
      this.#failures += 1;
      this.#window = 1;
      const hasNobody = error instanceof BusError && error.kind === 'no_responders';
      this.#rewind(this.#backoffMs(hasNobody ? NO_RESPONDERS_MS : BACKOFF_MS));
    }
    this.#options.onProgress(this.lane, this.lane.watermark, this.lane.watermark);
  }

  #backoffMs(baseMs: number): number {
    const fullMs = Math.min(this.#longestWaitMs, baseMs * 2 ** Math.min(this.#failures - 1, 10));
    return fullMs * (0.5 + this.#options.random() / 2);
  }

  #rewind(waitMs: number): void {
    this.#round += 1;
    this.#underWay = 0;
    this.#bytesUnderWay = 0;
    this.#nextSeq = (this.#askedBelow ?? this.lane.watermark) + 1;
    this.#wait?.cancel();
    this.#wait = null;
    if (waitMs <= 0) return;
    this.#wait = this.#options.clock.setTimer(waitMs, () => {
      this.#wait = null;
      this.#options.onProgress(this.lane, this.lane.watermark, this.lane.watermark);
    });
  }
}
