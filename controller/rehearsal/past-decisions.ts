import type { MonitorState } from '../verdicts/monitor-state.ts';
import { Replay, type ReplayedStep } from '../verdicts/replay.ts';
import { decisionsOf, startOf, type Decision } from './decision-rules.ts';
import type { Fact, MonitorFacts } from './monitor-rehearsal.ts';

/** Clocks of the controller, which decided, and of probes, which vote, differ by less. */
const MAX_SKEW_MS = 10_000;

interface Listener {
  onStep(step: ReplayedStep): void;
  onFact(fact: Fact, replay: Replay): void;
}

/**
 * Replays what was decided about a monitor, as its status history and its incidents tell it, so that only its
 * alerts are decided again. Votes are counted in parallel, because they tell when.
 */
export class PastDecisions {
  readonly #listener: Listener;
  readonly #replay: Replay;
  readonly #left: Decision[];
  /** The latest instant that an item told of, Unix ms. */
  #seen = 0;

  constructor(
    facts: MonitorFacts, seen: Partial<Pick<MonitorState, 'addresses' | 'certificate'>>, listener: Listener,
  ) {
    this.#listener = listener;
    this.#left = decisionsOf(facts);
    const first = this.#left.find((one) => one.kind === 'move');
    // Whether pings were overdue was decided.
    const config = { ...facts.config, heartbeat: null };
    this.#replay = new Replay(config, first ? startOf(first) : 0, (step) => listener.onStep(step), seen);
  }

  /** Whether nothing is left to decide before `until` (Unix ms), and no alert is held. */
  isQuietUntil(until: number): boolean {
    const { flaps, withheld } = this.#replay.state;
    return flaps === null && withheld === null && (this.#left[0]?.at ?? Infinity) > until;
  }

  /** Takes the next step of the votes. */
  follow({ at, instant, before, state }: ReplayedStep): void {
    this.#decide(this.#countUntil(at));
    if (before.status !== state.status || before.since !== state.since) {
      this.#seen = Math.max(this.#seen, instant ?? 0);
      this.#decide(this.#countThrough(state, at), at);
    }
    if (instant === null) return;
    this.#seen = Math.max(this.#seen, instant);
    this.#replay.see(instant, at);
  }

  finish(until: number): void {
    this.#decide(this.#countUntil(until));
    this.#replay.advanceTo(until);
  }

  /** A change follows the votes that come to it, even if its time on the controller's clock is over. */
  #countUntil(at: number): number {
    const count = this.#left.findIndex((one) => one.at + (one.kind === 'move' ? MAX_SKEW_MS : 0) > at);
    return count < 0 ? this.#left.length : count;
  }

  /** How many decisions remain up to the one that the votes come to at `now` (Unix ms); 0 without it. */
  #countThrough({ status, since }: MonitorState, now: number): number {
    for (const [index, one] of this.#left.entries()) {
      if (one.kind !== 'move') continue;
      const { to, at } = one.change;
      if (at > since) return 0;
      if (to === status && at === since && (to !== 'down' || one.at < now + MAX_SKEW_MS)) return index + 1;
    }
    return 0;
  }

  /** Makes the next decisions, at `now` (Unix ms) at the latest. */
  #decide(count: number, now = Infinity): void {
    for (const one of this.#left.splice(0, count)) {
      const isExact = one.kind === 'move' && one.isExact;
      this.#make(one, isExact ? one.at : Math.min(one.at, now));
    }
  }

  #make(decision: Decision, at: number): void {
    if (decision.kind === 'reopen') return this.#replay.reopen(at);
    if (decision.kind === 'fact') return this.#listener.onFact(decision.fact, this.#replay);
    const { change: { from, to, reason }, incident } = decision;
    const since = startOf(decision);
    if (to === 'paused' || from === 'paused') return this.#replay.setActive(to !== 'paused', since);
    const error = incident ? { error: { type: incident.type, message: incident.error_message } } : {};
    this.#replay.move({ to, at: since, reason, ...error }, Math.max(this.#seen, since), at);
  }
}
