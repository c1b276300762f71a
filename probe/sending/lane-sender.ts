import { backoffMs } from '../../shared/backoff.ts';
import { BusError } from '../../shared/bus-error.ts';
import { decodeJson } from '../../shared/contracts/bytes.ts';
import { batchResponse } from '../../shared/contracts/result.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { PackedBatch } from '../spool/batches.ts';

/** A lane of the spool as its sender sees it. */
export interface LaneSource {
  readonly epoch: string;
  readonly shard: number;
  readonly watermark: number;
  readonly synced: number;
  /** Started by an earlier run and not acknowledged in this one. */
  readonly isInDoubt: boolean;
}

export interface LaneSenderOptions<Lane extends LaneSource> {
  lane: Lane;
  clock: Clock;
  /** From 0 (inclusive) to 1. */
  random: () => number;
  /** Maximum batches and bytes in flight. */
  maxBatches: () => number;
  maxBytes: number;
  /** The batch that contains a number, as in `Spool.read`. */
  read: (lane: Lane, seq: number) => Promise<PackedBatch | null>;
  trim: (lane: Lane, watermark: number) => void;
  request: (lane: Lane, bytes: Uint8Array, timeoutMs: number) => Promise<Uint8Array>;
  /** Reserves capacity shared by all lanes; false if there is none. */
  acquire: (bytes: number) => boolean;
  release: (bytes: number) => void;
  /** Called on every response with the watermark before and after. */
  onProgress: (lane: Lane, from: number, to: number) => void;
  /** Called if handling a response throws, which is a bug. */
  onError: (error: unknown) => void;
}

/**
 * How long to wait for a response: four times as long as the last one took, and twice as long after each
 * timeout. Otherwise a busy controller would get every batch again before it can respond, and become busier.
 */
const MIN_TIMEOUT_MS = 2000;
const MAX_TIMEOUT_MS = 8000;
const TIMEOUT_FACTOR = 4;
/** Initial and maximum retry delay. */
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 30_000;
const MAX_HURRIED_BACKOFF_MS = 200;
const NO_RESPONDERS_BACKOFF_MS = 500;
/** Maximum requests without a response, in windows, including those of abandoned generations. */
const MAX_PENDING_WINDOWS = 2;

/**
 * Sends one lane in order, go-back-N: a few batches in flight, rewinding to the watermark when a response is
 * missing or requires it, then one batch at a time until a response arrives. Never gives up.
 */
export class LaneSender<Lane extends LaneSource = LaneSource> {
  readonly #options: LaneSenderOptions<Lane>;
  #nextSeq: number;
  #inFlight = 0;
  #bytesInFlight = 0;
  /** In all generations: the bus holds a lost request until its timeout. */
  #pendingRequests = 0;
  #window: number;
  #timeoutMs = MIN_TIMEOUT_MS;
  #maxTimeoutMs = MAX_TIMEOUT_MS;
  #failures = 0;
  #maxBackoffMs = MAX_BACKOFF_MS;
  /** Responses of an earlier generation only move the watermark. */
  #generation = 0;
  /** Set if the controller requests numbers below the watermark, which are gone. */
  #requestedBelow: number | null = null;
  #backoffTimer: Timer | null = null;
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
    return this.#inFlight === 0 && !this.hasUnsent;
  }

  /** Resends from the watermark immediately, because the controller is reachable again. */
  restart(): void {
    this.#failures = 0;
    this.#window = 2;
    this.#rewind(0);
  }

  /** Shortens delays and timeouts from now on, because the probe is stopping. */
  hurry(): void {
    this.#maxBackoffMs = MAX_HURRIED_BACKOFF_MS;
    const waitsLong = this.#inFlight > 0 && this.#timeoutMs > MIN_TIMEOUT_MS;
    this.#maxTimeoutMs = this.#timeoutMs = MIN_TIMEOUT_MS;
    if (this.#backoffTimer || waitsLong) this.restart();
  }

  stop(): void {
    this.#isStopped = true;
    this.#backoffTimer?.cancel();
  }

  /** Sends the next batch if window, capacity and spool allow; true if it sent one. */
  async pump(): Promise<boolean> {
    if (this.#isStopped || this.#isReading || this.#backoffTimer || !this.hasUnsent) return false;
    const maxBatches = this.#options.maxBatches();
    if (this.#inFlight >= Math.min(this.#window, maxBatches)) return false;
    if (this.#pendingRequests >= MAX_PENDING_WINDOWS * maxBatches) return false;
    const generation = this.#generation;
    this.#isReading = true;
    const batch = await this.#options.read(this.lane, this.#nextSeq).catch(() => null).finally(() => {
      this.#isReading = false;
    });
    if (generation !== this.#generation || this.#isStopped || !batch) return false;
    const size = batch.bytes.length;
    if (this.#inFlight > 0 && this.#bytesInFlight + size > this.#options.maxBytes) return false;
    if (!this.#options.acquire(size)) return false;
    this.#nextSeq = batch.last + 1;
    this.#send(batch, generation).catch(this.#options.onError);
    return true;
  }

  async #send(batch: PackedBatch, generation: number): Promise<void> {
    const size = batch.bytes.length;
    this.#inFlight += 1;
    this.#pendingRequests += 1;
    this.#bytesInFlight += size;
    const sentAtMs = this.#options.clock.monotonic();
    let response: Uint8Array;
    try {
      response = await this.#options.request(this.lane, batch.bytes, this.#timeoutMs);
    } catch (error) {
      this.#release(size, generation);
      return this.#failed(generation, error);
    }
    this.#release(size, generation);
    this.#timeoutMs = this.#timeoutWithin(TIMEOUT_FACTOR * (this.#options.clock.monotonic() - sentAtMs));
    this.#onResponse(batch, generation, decodeJson(batchResponse, response)?.watermark ?? null);
  }

  #release(size: number, generation: number): void {
    this.#options.release(size);
    this.#pendingRequests -= 1;
    if (generation !== this.#generation) return;
    this.#inFlight -= 1;
    this.#bytesInFlight -= size;
  }

  #onResponse(batch: PackedBatch, generation: number, watermark: number | null): void {
    if (watermark === null) return this.#failed(generation, new Error('unreadable response'));
    const before = this.lane.watermark;
    this.#options.trim(this.lane, watermark);
    if (this.#requestedBelow === null) this.#nextSeq = Math.max(this.#nextSeq, this.lane.watermark + 1);
    if (generation === this.#generation) {
      if (watermark >= batch.last) this.#accepted(watermark);
      else this.#goBack(watermark, before);
    }
    this.#options.onProgress(this.lane, before, this.lane.watermark);
  }

  #accepted(watermark: number): void {
    this.#failures = 0;
    this.#window = Math.min(this.#window * 2, this.#options.maxBatches());
    if (watermark >= this.lane.watermark) this.#requestedBelow = null;
  }

  /**
   * The controller expects another number: resend immediately if its watermark has moved, otherwise after a
   * delay.
   */
  #goBack(watermark: number, before: number): void {
    const hasMoved = watermark > before || (watermark < before && this.#requestedBelow !== watermark);
    this.#window = Math.max(1, this.#window >>> 1);
    this.#failures = hasMoved ? 0 : this.#failures + 1;
    this.#rewind(hasMoved ? 0 : this.#backoffMs(MIN_BACKOFF_MS));
    this.#requestedBelow = watermark < before ? watermark : null;
    this.#nextSeq = watermark + 1;
  }

  #failed(generation: number, error: unknown): void {
    if (this.#isStopped) return;
    if (generation === this.#generation) {
      this.#failures += 1;
      this.#window = 1;
      const failure = error instanceof BusError ? error.failure : null;
      const hasNoResponders = failure === 'no_responders';
      if (failure === 'timeout') this.#timeoutMs = this.#timeoutWithin(2 * this.#timeoutMs);
      this.#rewind(this.#backoffMs(hasNoResponders ? NO_RESPONDERS_BACKOFF_MS : MIN_BACKOFF_MS));
    }
    this.#options.onProgress(this.lane, this.lane.watermark, this.lane.watermark);
  }

  #backoffMs(baseMs: number): number {
    const limits = { minMs: baseMs, maxMs: this.#maxBackoffMs };
    return backoffMs(this.#failures, limits, this.#options.random());
  }

  #rewind(delayMs: number): void {
    this.#generation += 1;
    this.#inFlight = 0;
    this.#bytesInFlight = 0;
    this.#nextSeq = (this.#requestedBelow ?? this.lane.watermark) + 1;
    this.#backoffTimer?.cancel();
    this.#backoffTimer = null;
    if (delayMs <= 0) return;
    this.#backoffTimer = this.#options.clock.setTimer(delayMs, () => {
      this.#backoffTimer = null;
      this.#options.onProgress(this.lane, this.lane.watermark, this.lane.watermark);
    });
  }

  #timeoutWithin(wantedMs: number): number {
    return Math.min(this.#maxTimeoutMs, Math.max(MIN_TIMEOUT_MS, wantedMs));
  }
}
