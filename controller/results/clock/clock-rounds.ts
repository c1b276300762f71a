import type { Actor } from '../../../shared/actor/actor.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { CYCLE_ROUNDS } from './monitor-walk.ts';
import { ROUND_MS } from './shard-clock.ts';

/** Monitors examined without a break: a millisecond or two. */
export const LOOKS_AT_ONCE = 500;
/** Between two steps, so that requests get their turn. */
const PAUSE_MS = 5;
/** With this many monitors, steps are smaller, over part of a round: a request waits for at most one. */
const MANY = 5000;
const LOOKS_AMONG_MANY = 50;
const SPREAD_MS = ROUND_MS / 2;
/** The share of all monitors that a round examines: a step each of two walks, to decide and to write. */
const PART_OF_ROUND = 2 / CYCLE_ROUNDS;
/** Pause after a shard that has something to write, so that shards write one after the other in a round. */
const WRITE_PAUSE_MS = 250;
/** Monitors whose hour is closed in one round, unless a single shard has more. */
const HOUR_AT_ONCE = 1000;

/** What a round asks of a shard. */
export type ClockMessage =
  /** Answers with the number of monitors that are booked at once because their hour is over. */
  | { kind: 'beginRound'; mayCloseHour: boolean; answer(booked: number): void }
  /** Answers with the number of monitors looked at, at most `limit`; fewer when the round has none left. */
  | { kind: 'look'; limit: number; answer(looked: LookAnswer): void };

export interface LookAnswer {
  looks: number;
  /** What the round has found is being written. */
  isWriting: boolean;
}

export interface ClockRoundsDeps {
  clock: Clock;
  shards: {
    readonly states: ReadonlyMap<number, { readonly monitors: { readonly size: number } }>;
    get(shard: number): Pick<Actor<ClockMessage>, 'ask'> | undefined;
  };
}

/** Has every shard here check its deadlines every few seconds, in steps that more monitors do not prolong. */
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

  /** A slow round finishes before the next one begins. */
  async #begin(): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    const { states } = this.#deps.shards;
    this.#left = [...states.keys()];
    this.#pace = paceOf([...states.values()].reduce((sum, { monitors }) => sum + monitors.size, 0));
    let room = HOUR_AT_ONCE;
    for (const shard of this.#left) {
      const mayCloseHour = room > 0;
      const booked = this.#ask<number>(shard, (answer) => ({ kind: 'beginRound', mayCloseHour, answer }));
      room -= (await booked) ?? 0;
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
      const looked = await this.#ask<LookAnswer>(shard, (answer) => ({ kind: 'look', limit, answer }));
      left -= looked?.looks ?? 0;
      // It used less than its limit, so this round is done with it.
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

  /** Null when the shard is no longer here. */
  async #ask<Answer>(
    shard: number, question: (answer: (value: Answer) => void) => ClockMessage,
  ): Promise<Answer | null> {
    return this.#deps.shards.get(shard)?.ask(question).catch(() => null) ?? null;
  }
}

function paceOf(monitors: number): { looks: number; pauseMs: number } {
  if (monitors < MANY) return { looks: LOOKS_AT_ONCE, pauseMs: PAUSE_MS };
  const looks = monitors * PART_OF_ROUND;
  const steps = Math.min(looks / LOOKS_AMONG_MANY, SPREAD_MS / PAUSE_MS);
  return { looks: Math.round(looks / steps), pauseMs: SPREAD_MS / steps };
}
