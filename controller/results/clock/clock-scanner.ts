import type { Actor } from '../../../shared/actor/actor.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { SCANS_PER_CYCLE } from './monitor-walk.ts';
import { SCAN_INTERVAL_MS } from './shard-clock.ts';

/** Monitors examined without a break: a millisecond or two. */
export const SCAN_BATCH_SIZE = 500;
/** Between two steps, so that requests get their turn. */
const PAUSE_MS = 5;
/** With this many monitors, steps are smaller, over part of a round: a request waits for at most one. */
const LARGE_FLEET_MONITORS = 5000;
const LARGE_FLEET_BATCH_SIZE = 50;
const SPREAD_MS = SCAN_INTERVAL_MS / 2;
/** The share of all monitors that a round examines: a step each of two walks, to decide and to write. */
const SCANNED_SHARE = 2 / SCANS_PER_CYCLE;
/** Pause after a shard that has something to write, so that shards write one after the other in a round. */
const WRITE_PAUSE_MS = 250;
/** Monitors whose hour is closed in one round, unless a single shard has more. */
const MAX_HOUR_MONITORS_PER_SCAN = 1000;

/** What a round asks of a shard. */
export type ClockMessage =
  /** Answers with the number of monitors that are booked at once because their hour is over. */
  | { kind: 'beginScan'; mayCloseHour: boolean; respond(accounted: number): void }
  /** Answers with the number of monitors looked at, at most `limit`; fewer when the round has none left. */
  | { kind: 'scan'; limit: number; respond(outcome: ScanOutcome): void };

export interface ScanOutcome {
  scanned: number;
  /** What the round has found is being written. */
  isWriting: boolean;
}

export interface ClockScannerDeps {
  clock: Clock;
  shards: {
    readonly states: ReadonlyMap<number, { readonly monitors: { readonly size: number } }>;
    get(shard: number): Pick<Actor<ClockMessage>, 'ask'> | undefined;
  };
}

/** Has every shard here check its deadlines every few seconds, in steps that more monitors do not prolong. */
export class ClockScanner {
  readonly #deps: ClockScannerDeps;
  #left: number[] = [];
  /** Looks of a step, and ms between two. */
  #pace = { batchSize: SCAN_BATCH_SIZE, pauseMs: PAUSE_MS };
  /** When this round began with the shard it is at, monotonic ms; null before its first look. */
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

  /** A slow round finishes before the next one begins. */
  async #beginScan(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { states } = this.#deps.shards;
    this.#left = [...states.keys()];
    this.#pace = paceOf([...states.values()].reduce((sum, { monitors }) => sum + monitors.size, 0));
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
      // It used less than its limit, so this round is done with it.
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

  /** Null when the shard is no longer here. */
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
