import type { Clock, Timer } from '../../../shared/time.ts';
import { CYCLE_ROUNDS } from './monitor-walk.ts';
import { ROUND_MS } from './shard-clock.ts';

/** Monitors that are looked at without a break: a millisecond or two. */
export const LOOKS_AT_ONCE = 500;
/** Between two steps, so that whoever waits comes in between. */
const PAUSE_MS = 5;
/** From so many monitors on, steps are this small and lie over this much of a round: a request meets one of them at most. */
const MANY = 5000;
const LOOKS_AMONG_MANY = 50;
const SPREAD_MS = ROUND_MS / 2;
/** Of all monitors, this part is looked at in a round: of two walks a step each, for what the clock decides and for what is to be written. */
const PART_OF_ROUND = 2 / CYCLE_ROUNDS;
/** After a shard that has something to write, so that not all write at once; a round has time for all of them. */
const WRITE_PAUSE_MS = 250;
/** In one round so many monitors are booked to the end of an hour, or those of one shard. */
const HOUR_AT_ONCE = 1000;

/** One shard, as the clock goes through it; by ShardActor. */
export interface ClockedShard {
  readonly shard: number;
  /** Number of its monitors. */
  readonly size: number;
  /** Whether what a round has found is being written. */
  readonly isWriting: boolean;
  /** @returns the number of monitors that are booked at once because their hour is over. */
  beginRound(mayCloseHour: boolean): number;
  /** Looks at `most` monitors at most. @returns how many; fewer when the round has none left. */
  look(most: number): number;
}

export interface ClockRoundsDeps<S extends ClockedShard> {
  clock: Clock;
  shards: ReadonlyMap<number, S>;
  /** A round is through with this shard: something may wait for its journal. */
  onLooked(shard: S): void;
}

/** Lets the clock decide for the shards in hand every few seconds, in steps that do not grow with the number of monitors. */
export class ClockRounds<S extends ClockedShard> {
  readonly #deps: ClockRoundsDeps<S>;
  #left: S[] = [];
  /** Looks of a step, and ms between two. */
  #pace = { most: LOOKS_AT_ONCE, pauseMs: PAUSE_MS };
  /** When this round began with the shard it is at, monotonic ms; null before its first look. */
  #shardSince: number | null = null;
  #timer: Timer | null = null;
  #next: Timer | null = null;

  constructor(deps: ClockRoundsDeps<S>) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.clock.setRepeating(ROUND_MS, () => this.#begin());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#next?.cancel();
  }

  /** A round that takes longer than it should is ended first. */
  #begin(): void {
    if (this.#left.length > 0) return;
    this.#left = [...this.#deps.shards.values()];
    this.#pace = paceOf(this.#left.reduce((sum, { size }) => sum + size, 0));
    let room = HOUR_AT_ONCE;
    for (const shard of this.#left) room -= shard.beginRound(room > 0);
    this.#step();
  }

  #step(): void {
    const { clock, shards, onLooked } = this.#deps;
    let { most, pauseMs } = this.#pace;
    let isWriting = false;
    while (most > 0 && !isWriting && this.#left[0]) {
      const shard = this.#left[0];
      this.#shardSince ??= clock.monotonic();
      most -= shards.get(shard.shard) === shard ? shard.look(most) : 0;
      // It could have had more: nothing of it is left in this round.
      if (most > 0) {
        this.#left.shift();
        onLooked(shard);
        isWriting = shard.isWriting;
        if (isWriting) pauseMs = Math.max(pauseMs, WRITE_PAUSE_MS - (clock.monotonic() - this.#shardSince));
        this.#shardSince = null;
      }
    }
    if (this.#left.length > 0) this.#next = clock.setTimer(pauseMs, () => this.#step());
  }
}

function paceOf(monitors: number): { most: number; pauseMs: number } {
  if (monitors < MANY) return { most: LOOKS_AT_ONCE, pauseMs: PAUSE_MS };
  const looks = monitors * PART_OF_ROUND;
  const steps = Math.min(looks / LOOKS_AMONG_MANY, SPREAD_MS / PAUSE_MS);
  return { most: Math.round(looks / steps), pauseMs: SPREAD_MS / steps };
}
