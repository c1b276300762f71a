import type { Actor } from '../../../shared/actor/actor.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { CYCLE_ROUNDS } from './monitor-walk.ts';
import { ROUND_MS } from './shard-clock.ts';

/** Monitors examined without a break: a millisecond or two. */
export const LOOKS_AT_ONCE = 500;
/** Between two steps, so that requests get their turn. */
const PAUSE_MS = 5;
/** From so many monitors on, steps are this small and spread over this much of a round: a request meets one at most. */
const MANY = 5000;
const LOOKS_AMONG_MANY = 50;
const SPREAD_MS = ROUND_MS / 2;
/** A round examines this part of all monitors: of two walks a step each, for the clock's decisions and for writing. */
const PART_OF_ROUND = 2 / CYCLE_ROUNDS;
/** After a shard that has something to write, so that not all write at once; a round has time for all of them. */
const WRITE_PAUSE_MS = 250;
/** In one round so many monitors are booked to the end of an hour, or those of one shard. */
const HOUR_AT_ONCE = 1000;

/** What a round asks of a shard. See ShardMessage. */
export type ClockMessage =
  | { kind: 'beginRound'; mayCloseHour: boolean; answer(booked: number): void }
  | { kind: 'look'; limit: number; answer(looked: { looks: number; isWriting: boolean }): void };

export interface ClockRoundsDeps {
  clock: Clock;
  shards: {
    readonly states: ReadonlyMap<number, { readonly monitors: { readonly size: number } }>;
    get(shard: number): Pick<Actor<ClockMessage>, 'ask'> | undefined;
  };
}

/** Lets the clock decide for the shards in hand every few seconds, in steps that do not grow with the number of monitors. */
export class ClockRounds {
  readonly #deps: ClockRoundsDeps;
  #left: number[] = [];
  /** Looks of a step, and ms between two. */
  #pace = { looks: LOOKS_AT_ONCE, pauseMs: PAUSE_MS };
  /** When this round began with the shard it is at, monotonic ms; null before its first look. */
  #shardSince: number | null = null;
  #timer: Timer | null = null;
  #next: Timer | null = null;
  #isUnderWay = false;

  constructor(deps: ClockRoundsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.clock.setRepeating(ROUND_MS, () => void this.#begin());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#next?.cancel();
  }

  /** A round that takes longer than it should is ended first. */
  async #begin(): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    const { states } = this.#deps.shards;
    this.#left = [...states.keys()];
    this.#pace = paceOf([...states.values()].reduce((sum, { monitors }) => sum + monitors.size, 0));
    let room = HOUR_AT_ONCE;
    for (const shard of this.#left) {
      const mayCloseHour = room > 0;
      room -= (await this.#ask<number>(shard, (answer) => ({ kind: 'beginRound', mayCloseHour, answer }))) ?? 0;
    }
    await this.#step();
  }

  async #step(): Promise<void> {
    const { clock } = this.#deps;
    let { looks: left, pauseMs } = this.#pace;
    let isWriting = false;
    while (left > 0 && !isWriting && this.#left[0] !== undefined) {
      const shard = this.#left[0];
      const limit = left;
      this.#shardSince ??= clock.monotonic();
      const looked = await this.#ask<{ looks: number; isWriting: boolean }>(shard, (answer) => ({ kind: 'look', limit, answer }));
      left -= looked?.looks ?? 0;
      // It could have had more: nothing of it is left in this round.
      if (left > 0) {
        this.#left.shift();
        isWriting = looked?.isWriting ?? false;
        if (isWriting) pauseMs = Math.max(pauseMs, WRITE_PAUSE_MS - (clock.monotonic() - this.#shardSince));
        this.#shardSince = null;
      }
    }
    this.#isUnderWay = this.#left.length > 0;
    if (this.#isUnderWay) this.#next = clock.setTimer(pauseMs, () => void this.#step());
  }

  /** Null when the shard is not in hand any more. */
  async #ask<Answer>(shard: number, question: (answer: (value: Answer) => void) => ClockMessage): Promise<Answer | null> {
    return this.#deps.shards.get(shard)?.ask(question).catch(() => null) ?? null;
  }
}

function paceOf(monitors: number): { looks: number; pauseMs: number } {
  if (monitors < MANY) return { looks: LOOKS_AT_ONCE, pauseMs: PAUSE_MS };
  const looks = monitors * PART_OF_ROUND;
  const steps = Math.min(looks / LOOKS_AMONG_MANY, SPREAD_MS / PAUSE_MS);
  return { looks: Math.round(looks / steps), pauseMs: SPREAD_MS / steps };
}
