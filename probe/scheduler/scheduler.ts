import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { MissedReason } from '../../shared/contracts/result.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { decideSlot, isSlot, nextSlot, type SlotRun } from './slots.ts';
import { TimerHeap } from './timer-heap.ts';

/** Scheduler callbacks. Each slot of a monitor is reported once, by one of the two. */
export interface SchedulerEvents {
  due(assignment: Assignment, dueMs: number): void;
  missed(assignment: Assignment, run: SlotRun, reason: MissedReason): void;
}

/** A larger difference between wall clock and monotonic clock is a jump of the wall clock. */
const JUMP_MS = 1000;
/**
 * At low rates, a check may start this late together with others that become due meanwhile: a separate
 * wake-up costs more than a check. One that follows a longer pause starts on time.
 */
export const GATHER_MS = 100;
/** Above this rate, all checks start on time: they coincide anyway. */
const SPARSE_PER_SECOND = 100;
/** Maximum sleep, so that a jump of the wall clock is detected soon. */
const MAX_SLEEP_MS = 1000;

/** Fires every slot of every assignment at its absolute due time. */
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
  /** The same on the monotonic clock, so that a wall clock jump doesn't count as lateness. */
  #wakeAtMono = Infinity;
  #started = false;
  #wallOffsetMs: number;
  #latenessMs = 0;
  #lastFiredMs = -Infinity;
  /** Slots fired in the current second and in the previous one. */
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

  /** Unix ms: every slot due up to here has fired. */
  get coveredUntilMs(): number {
    return this.#timers.nowMs;
  }

  /** Maximum wake-up lateness since the last call, ms: a measure of this process's load. */
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
   * Adds or replaces an assignment. Its first slot is at `firstMs` if given, otherwise the first one by its
   * phase that has not fired.
   */
  set(assignment: Assignment, firstMs?: number): void {
    const existing = this.#index.get(assignment.monitor_id);
    const extraMs = existing === undefined ? undefined : this.#pendingExtra(existing);
    const at = existing ?? this.#take(assignment.monitor_id);
    this.#assignments[at] = assignment;
    const coveredMs = this.#timers.nowMs;
    // A replaced assignment may have a due slot that has not fired: that is still its first.
    const afterMs = existing === undefined ? Math.max(this.#clock.now(), coveredMs) : coveredMs;
    const wantedMs = firstMs ?? extraMs;
    this.#schedule(
      at, wantedMs === undefined ? nextSlot(assignment, afterMs) : Math.max(wantedMs, coveredMs + 1),
    );
    this.#arm();
  }

  /** The immediate extra check of a new assignment, if it has not fired yet. */
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

  /** Time until which due slots are gathered, Unix ms. */
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

  /** The wall clock went back: the schedule follows it, and slots in the repeated time fire again. */
  #restartAt(nowMs: number): void {
    this.#timers.reset(nowMs - 1);
    this.#lastFiredMs = -Infinity;
    for (const at of this.#index.values()) {
      const assignment = this.#assignments[at] as Assignment;
      this.#schedule(at, isSlot(assignment, this.#due[at] as number) ? nextSlot(assignment, nowMs) : nowMs);
    }
  }
}
