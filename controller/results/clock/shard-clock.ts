import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { hourOf } from '../../verdicts/booking-rules.ts';
import { HOUR_GRACE_MS } from '../hours/closed-hours.ts';
import { dueAt, HeartbeatWatch, isWaiting } from './heartbeat-watch.ts';
import type { ClockDecision, JournalEntry } from '../journal/journal-entry.ts';
import { LookQueue } from './look-queue.ts';
import { CYCLE_ROUNDS, MonitorWalk } from './monitor-walk.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ShardState } from '../state/shard-state.ts';

/** A shard is asked by the clock so often. */
export const ROUND_MS = 5000;
/** Longer than a cycle: whoever is due before the walk comes by again is in the queue. */
const ROUNDS_AHEAD = 2 * CYCLE_ROUNDS;
/** A shard that is loaded is looked at whole within so many rounds: before PROBE_ROUND_MS are over. */
const FIRST_ROUNDS = 8;
/** Decisions of one round; the rest is decided in the next. */
const MOST_DECISIONS = 500;
/** A region is silent when nothing came for two intervals, the check's timeout and this. */
const SILENCE_GRACE_MS = 15_000;
/** After a break every live probe has tried again within this: it waits 30 s at most, and for an answer. */
const PROBE_ROUND_MS = 45_000;

export interface ShardClockDeps {
  /** A rule threw for this monitor; said once. */
  onFailed(monitorId: string, now: number): void;
}

/**
 * What the clock alone says of one shard: regions that fell silent, heartbeats that are overdue, an hour that is over. A round
 * looks at those that are due by now and at a part of all; both in steps, so that nothing waits longer where there are more.
 */
export class ShardClock {
  readonly #state: ShardState;
  readonly #deps: ShardClockDeps;
  readonly #watch = new HeartbeatWatch();
  readonly #queue = new LookQueue(ROUNDS_AHEAD);
  readonly #walk: MonitorWalk<LiveMonitor>;
  readonly #waiting = new Set<string>();
  /** Monitors for which the clock decides nothing, as a rule has thrown. */
  readonly #unclocked = new Set<string>();
  /** Monitors of which this round has decided something. */
  readonly #decided = new Set<string>();
  /** Since when everything that was pending has been taken without a break, Unix ms: silence counts from here. */
  #watchedSince: number;
  #hourClosed = 0;
  /** Of the round: monitors that the walk still has to look at, and decisions that may still be made. */
  #toWalk = 0;
  #room = 0;

  constructor(state: ShardState, now: number, deps: ShardClockDeps) {
    this.#state = state;
    this.#deps = deps;
    this.#walk = new MonitorWalk(state.monitors);
    this.#watchedSince = now;
    // The walk comes by only within a cycle: who is due before is found by the queue. No region is silent at first.
    for (const [id, cell] of state.monitors) {
      if (isWaiting(cell.state)) this.#waiting.add(id);
      if (cell.state.config.status === 'active') this.#queue.put(id, this.#waiting.has(id) ? 1 : 1 + (this.#queue.size % FIRST_ROUNDS));
    }
  }

  /** Silence until now says nothing about anybody. */
  interrupted(now: number): void {
    this.#watchedSince = now;
    this.#watch.interrupted(this.#state.takenAt);
    this.#toWalk = 0;
    this.#room = 0;
  }

  /** All pings that were stored by then, Unix ms, are taken. */
  lookedForPings(at: number): void {
    this.#watch.looked(at);
  }

  /** What an entry has changed may be due sooner than was thought. */
  applied(entry: JournalEntry, changed: { monitor_id: string }[]): void {
    for (const decision of entry.clock) if (decision.kind === 'hour') this.#hourClosed = Math.max(this.#hourClosed, decision.until);
    for (const { monitor_id: id } of entry.configs) {
      const state = this.#state.monitors.get(id)?.state;
      if (state && isWaiting(state)) this.#waiting.add(id);
      else this.#waiting.delete(id);
    }
    for (const touched of [entry.configs, entry.pings, changed]) for (const { monitor_id: id } of touched) this.#queue.put(id, 1);
  }

  /** What is to be said of the shard as a whole. `mayCloseHour`: so many monitors at once are booked then that shards take turns. */
  beginRound(now: number, mayCloseHour: boolean): ClockDecision[] {
    this.#decided.clear();
    this.#queue.turn();
    this.#toWalk = this.#walk.quota;
    this.#room = MOST_DECISIONS;
    const decisions = this.#watch.beginRound({ takenAt: this.#state.takenAt, now, hasWaiting: this.#waiting.size > 0 });
    const hour = hourOf(now - HOUR_GRACE_MS);
    if (mayCloseHour && hour > this.#hourClosed) {
      this.#hourClosed = hour;
      decisions.push({ kind: 'hour', until: hour });
    }
    return decisions;
  }

  /**
   * Looks at `most` monitors at most that this round has left. `hasPings`: pings are on their way into the journal, and until
   * they are in it nobody is overdue.
   * @returns what was decided, and how many were looked at.
   */
  look(now: number, most: number, hasPings: boolean): { decisions: ClockDecision[]; looks: number } {
    const decisions: ClockDecision[] = [];
    let looks = 0;
    for (; looks < most && this.#room > 0; looks += 1) {
      const id = this.#queue.take() ?? this.#next();
      if (id === null) break;
      const cell = this.#state.monitors.get(id);
      if (!cell || this.#decided.has(id)) continue;
      const found = this.#decide(id, cell.state, { now, hasPings });
      if (found.length > 0) this.#decided.add(id);
      this.#room -= found.length;
      for (const decision of found) decisions.push(decision);
    }
    return { decisions, looks };
  }

  #next(): string | null {
    while (this.#toWalk > 0) {
      this.#toWalk -= 1;
      const met = this.#walk.next();
      if (met) return met[0];
      // A cycle ends here; a shard that fits into one round is not gone through twice in it.
      if (this.#state.monitors.size <= this.#walk.quota) this.#toWalk = 0;
    }
    return null;
  }

  /** Nobody is silent for a monitor whose rule throws; the others are not to wait for it. */
  #decide(id: string, state: MonitorState, { now, hasPings }: { now: number; hasPings: boolean }): ClockDecision[] {
    try {
      const { due, at } = this.#silences(id, state, now);
      const found = hasPings ? due : [...due, ...this.#watch.overdue(state)];
      this.#lookAgain(id, found.length > 0 ? 0 : Math.min(at, dueAt(state) ?? Infinity) - now);
      return found;
    } catch {
      if (!this.#unclocked.has(id)) this.#deps.onFailed(id, now);
      this.#unclocked.add(id);
      return [];
    }
  }

  /** One that is due later than the walk comes by again need not be remembered. */
  #lookAgain(id: string, inMs: number): void {
    const rounds = inMs / ROUND_MS;
    if (rounds <= ROUNDS_AHEAD) this.#queue.put(id, rounds);
  }

  /** Regions that are silent by now, and when the next one will be, Unix ms. */
  #silences(id: string, { config, regions }: MonitorState, now: number): { due: ClockDecision[]; at: number } {
    const due: ClockDecision[] = [];
    let at = Infinity;
    if (config.status !== 'active') return { due, at };
    const patienceMs = 2 * config.interval_ms + config.timeout_ms + SILENCE_GRACE_MS;
    const notBefore = this.#watchedSince + Math.max(patienceMs, PROBE_ROUND_MS);
    for (const [region, { verdict, last_at: lastAt }] of Object.entries(regions)) {
      if (verdict === 'unknown' || lastAt === null) continue;
      const silentAt = Math.max(notBefore, lastAt + patienceMs);
      if (silentAt <= now) due.push({ kind: 'silent', monitor_id: id, region, at: lastAt + config.interval_ms });
      else at = Math.min(at, silentAt);
    }
    return { due, at };
  }
}
