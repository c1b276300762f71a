import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { MissedReason } from '../../shared/contracts/result.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { decideSlot, isSlot, nextSlot, type SlotRun } from './slots.ts';
import { TimerHeap } from './timer-heap.ts';

/** What the scheduler tells of; each slot of a monitor comes up once in one of the two. */
export interface SchedulerEvents {
  due(assignment: Assignment, dueMs: number): void;
  missed(assignment: Assignment, run: SlotRun, reason: MissedReason): void;
}

/** A difference between wall clock and monotonic clock above this is a jump of the wall clock, ms. */
const JUMP_MS = 1000;
/**
 * While few checks come up, each one starts at most this late, together with those that come up meanwhile,
 * ms: waking up for each by itself costs more than checking does. One that has been alone for that long
 * starts on time.
 */
export const GATHER_MS = 100;
/** With more than these in a second all start on time: they come together by themselves. */
const SPARSE_PER_SECOND = 100;
/** Longest sleep, so that a jump of the wall clock is seen soon, ms. */
const MAX_SLEEP_MS = 1000;

/** Brings up every slot of every assignment by absolute due time. */
export class Scheduler {
  readonly #clock: Clock;
  readonly #events: SchedulerEvents;
  readonly #timers: TimerHeap;
  readonly #index = new Map<string, number>();
  readonly #assignments: (Assignment | undefined)[] = [];
  readonly #free: number[] = [];
  #due = new Float64Array(1024);
  #timer: Timer | null = null;
  #wakeAtMs = Infinity;
  /** The same by the monotonic clock: a step of the wall clock makes nothing late. */
  #wakeAtMono = Infinity;
  #started = false;
  #wallOffsetMs: number;
  #latenessMs = 0;
  #lastFiredMs = -Infinity;
  /** Fired in the second that runs, and in the one before it. */
  #second = { fromMs: 0, fired: 0, before: 0 };

  constructor(clock: Clock, events: SchedulerEvents) {
    this.#clock = clock;
    this.#events = events;
    this.#timers = new TimerHeap(clock.now());
    this.#wallOffsetMs = clock.now() - clock.monotonic();
  }

  get size(): number {
    return this.#index.size;
  }

  /** Unix ms: every slot due up to here has come up. */
  get coveredUntilMs(): number {
    return this.#timers.nowMs;
  }

  /** How late the latest of wake-ups since the last call was, ms: a measure of this process's own load. */
  takeLatenessMs(): number {
    const latenessMs = this.#latenessMs;
    this.#latenessMs = 0;
    return Math.round(latenessMs);
  }

  start(): void {
    this.#started = true;
    this.#arm();
  }

  stop(): void {
    this.#started = false;
    this.#timer?.cancel();
    this.#timer = null;
  }

  get(monitorId: string): Assignment | undefined {
    const at = this.#index.get(monitorId);
    return at === undefined ? undefined : this.#assignments[at];
  }

  /**
   * Adds or replaces. The first slot is at `firstMs` when given, else the first by its phase that has not
   * come up.
   */
  set(assignment: Assignment, firstMs?: number): void {
    const existing = this.#index.get(assignment.monitor_id);
    const extraMs = existing === undefined ? undefined : this.#pendingExtra(existing);
    const at = existing ?? this.#take(assignment.monitor_id);
    this.#assignments[at] = assignment;
    const coveredMs = this.#timers.nowMs;
    // A replaced one may have a slot that is due and has not come up: that is still its first.
    const afterMs = existing === undefined ? Math.max(this.#clock.now(), coveredMs) : coveredMs;
    const wantedMs = firstMs ?? extraMs;
    this.#schedule(
      at, wantedMs === undefined ? nextSlot(assignment, afterMs) : Math.max(wantedMs, coveredMs + 1),
    );
    this.#arm();
  }

  /** The check between two slots that a new assignment gets at once and that has not come up yet. */
  #pendingExtra(at: number): number | undefined {
    const dueMs = this.#due[at] as number;
    return isSlot(this.#assignments[at] as Assignment, dueMs) ? undefined : dueMs;
  }

  remove(monitorId: string): void {
    const at = this.#index.get(monitorId);
    if (at === undefined) return;
    this.#timers.remove(at);
    this.#index.delete(monitorId);
    this.#assignments[at] = undefined;
    this.#free.push(at);
  }

  #take(monitorId: string): number {
    const at = this.#free.pop() ?? this.#assignments.length;
    this.#index.set(monitorId, at);
    if (at >= this.#due.length) {
      const larger = new Float64Array(this.#due.length * 2);
      larger.set(this.#due);
      this.#due = larger;
    }
    return at;
  }

  #schedule(at: number, dueMs: number): void {
    this.#due[at] = dueMs;
    this.#timers.insert(at, dueMs);
  }

  #arm(): void {
    if (!this.#started) return;
    const nowMs = this.#clock.now();
    const wakeAtMs = Math.min(Math.max(this.#timers.nextMs(), this.#gatheredMs()), nowMs + MAX_SLEEP_MS);
    if (this.#timer && this.#wakeAtMs <= wakeAtMs) return;
    this.#timer?.cancel();
    this.#wakeAtMs = wakeAtMs;
    this.#wakeAtMono = this.#clock.monotonic() + wakeAtMs - nowMs;
    this.#timer = this.#clock.setTimer(Math.max(1, wakeAtMs - nowMs), () => this.#wake());
  }

  /** Until when what comes up waits for company, Unix ms. */
  #gatheredMs(): number {
    const { fired, before } = this.#second;
    const isBusy = fired > SPARSE_PER_SECOND || before > SPARSE_PER_SECOND;
    return isBusy ? -Infinity : this.#lastFiredMs + GATHER_MS;
  }

  #count(nowMs: number): void {
    this.#lastFiredMs = nowMs;
    const second = this.#second;
    if (Math.abs(nowMs - second.fromMs) >= 1000) {
      this.#second = { fromMs: nowMs, fired: 1, before: nowMs - second.fromMs < 2000 ? second.fired : 0 };
    } else second.fired += 1;
  }

  #wake(): void {
    this.#timer = null;
    const nowMs = this.#clock.now();
    const nowMono = this.#clock.monotonic();
    const offsetMs = nowMs - nowMono;
    const jumpMs = offsetMs - this.#wallOffsetMs;
    this.#wallOffsetMs = offsetMs;
    this.#latenessMs = Math.max(this.#latenessMs, nowMono - this.#wakeAtMono);
    if (nowMs < this.#timers.nowMs - JUMP_MS) this.#restartAt(nowMs);
    const reason: MissedReason = jumpMs > JUMP_MS ? 'clock_jump' : 'overload';
    this.#timers.advance(nowMs, (at) => this.#fire(at, nowMs, reason));
    this.#arm();
  }

  #fire(at: number, nowMs: number, reason: MissedReason): void {
    const assignment = this.#assignments[at] as Assignment;
    const dueMs = this.#due[at] as number;
    this.#count(nowMs);
    const decision = decideSlot(assignment, dueMs, nowMs);
    this.#schedule(at, decision.nextMs);
    if (decision.run) this.#events.due(assignment, dueMs);
    else for (const run of decision.missed) this.#events.missed(assignment, run, reason);
  }

  /** The wall clock went back: the schedule follows it, and slots of the repeated stretch are slots again. */
  #restartAt(nowMs: number): void {
    this.#timers.reset(nowMs - 1);
    this.#lastFiredMs = -Infinity;
    for (const at of this.#index.values()) {
      const assignment = this.#assignments[at] as Assignment;
      this.#schedule(at, isSlot(assignment, this.#due[at] as number) ? nextSlot(assignment, nowMs) : nowMs);
    }
  }
}
