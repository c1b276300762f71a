import type { ActorRef } from '../../../shared/actor/actor-ref.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { SCANS_PER_CYCLE } from './monitor-walk.ts';
import { SCAN_INTERVAL_MS } from './shard-clock.ts';

/** Monitors scanned without yielding: takes a millisecond or two. */
export const SCAN_BATCH_SIZE = 500;
/** Pause between two steps, so that requests are served. */
const PAUSE_MS = 5;
/**
 * With this many monitors, smaller steps spread over part of a scan. A request waits for at most one step.
 */
const LARGE_FLEET_MONITORS = 5000;
const LARGE_FLEET_BATCH_SIZE = 50;
const SPREAD_MS = SCAN_INTERVAL_MS / 2;
/** The share of all monitors per scan: one step each of two walks, to decide and to write. */
const SCANNED_SHARE = 2 / SCANS_PER_CYCLE;
/** Pause after a shard with something to write, so that the shards of a scan write one after another. */
const WRITE_PAUSE_MS = 250;
/** Limit of monitors whose hour is closed in one scan, unless a single shard has more. */
const MAX_HOUR_MONITORS_PER_SCAN = 1000;

/** Requests of the scanner to a shard. */
export type ClockMessage =
  /** Responds with the number of monitors accounted at once because their hour is over. */
  | { kind: 'beginScan'; mayCloseHour: boolean; respond(accounted: number): void }
  /** Responds with the number of scanned monitors, at most `limit`; fewer if none remain in this scan. */
  | { kind: 'scan'; limit: number; respond(outcome: ScanOutcome): void };

export interface ScanOutcome {
  scanned: number;
  /** Findings of the scan are being written. */
  isWriting: boolean;
}

export interface ClockScannerDeps {
  clock: Clock;
  shards: {
    readonly summaries: ReadonlyMap<number, { readonly monitors: number }>;
    get(shard: number): Pick<ActorRef<ClockMessage>, 'ask'> | undefined;
  };
}

/** Makes every local shard check its deadlines every few seconds, in steps of bounded size. */
export class ClockScanner {
  readonly #deps: ClockScannerDeps;
  #left: number[] = [];
  /** Monitors per step, and ms between two steps. */
  #pace = { batchSize: SCAN_BATCH_SIZE, pauseMs: PAUSE_MS };
  /** When the scan of the current shard began, monotonic ms; null before its first step. */
  #shardSince: number | null = null;
  #timer: Timer | null = null;
  #next: Timer | null = null;
  #isRunning = false;

  constructor(deps: ClockScannerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.clock.setRepeating(SCAN_INTERVAL_MS, () => void this.#beginScan());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#next?.cancel();
  }

  /** A slow scan finishes before the next one begins. */
  async #beginScan(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { summaries } = this.#deps.shards;
    this.#left = [...summaries.keys()];
    this.#pace = paceOf([...summaries.values()].reduce((sum, { monitors }) => sum + monitors, 0));
    let room = MAX_HOUR_MONITORS_PER_SCAN;
    for (const shard of this.#left) {
      const mayCloseHour = room > 0;
      const accounted = this.#request<number>(shard, (respond) => ({ kind: 'beginScan', mayCloseHour, respond }));
      room -= (await accounted) ?? 0;
    }
    await this.#step();
  }

  async #step(): Promise<void> {
    const { clock } = this.#deps;
    let { batchSize: left, pauseMs } = this.#pace;
    let isWriting = false;
    while (left > 0 && !isWriting && this.#left[0] !== undefined) {
      const shard = this.#left[0];
      const limit = left;
      this.#shardSince ??= clock.monotonic();
      const outcome = await this.#request<ScanOutcome>(shard, (respond) => ({ kind: 'scan', limit, respond }));
      left -= outcome?.scanned ?? 0;
      // Fewer monitors than its limit: this shard's scan is complete.
      if (left > 0) {
        this.#left.shift();
        isWriting = outcome?.isWriting ?? false;
        if (isWriting) pauseMs = Math.max(pauseMs, WRITE_PAUSE_MS - (clock.monotonic() - this.#shardSince));
        this.#shardSince = null;
      }
    }
    this.#isRunning = this.#left.length > 0;
    if (this.#isRunning) this.#next = clock.setTimer(pauseMs, () => void this.#step());
  }

  /** Null if the shard is no longer local. */
  async #request<Response>(
    shard: number, message: (respond: (value: Response) => void) => ClockMessage,
  ): Promise<Response | null> {
    return this.#deps.shards.get(shard)?.ask(message).catch(() => null) ?? null;
  }
}

function paceOf(monitors: number): { batchSize: number; pauseMs: number } {
  if (monitors < LARGE_FLEET_MONITORS) return { batchSize: SCAN_BATCH_SIZE, pauseMs: PAUSE_MS };
  const total = monitors * SCANNED_SHARE;
  const steps = Math.min(total / LARGE_FLEET_BATCH_SIZE, SPREAD_MS / PAUSE_MS);
  return { batchSize: Math.round(total / steps), pauseMs: SPREAD_MS / steps };
}
