import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type { CheckResult, MissedReason } from '../../shared/contracts/result.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { missed, type Finding } from '../checks/check.ts';
import { isSlot, LATE_LIMIT_MS, nextSlot } from '../scheduler/slots.ts';
import { Fifo } from './fifo.ts';
import { LOOK_EVERY_MS, nextLimit, SLOW_AFTER_MS, type Limits } from './limits.ts';
import { missedResult, resultOf } from './result.ts';

export interface RunnerOptions {
  clock: Clock;
  limits: Limits;
  /** Runs one check; never rejects. */
  check: (spec: CheckSpec, timeoutMs: number) => Promise<Finding>;
  /** Takes every result; `urgent` ones should not wait for company. */
  record: (result: CheckResult, urgent: boolean) => void;
  /** From 0 (included) to 1, for the spread of rechecks. */
  random: () => number;
}

/** A slot that has come up and has no result yet. */
export interface OpenSlot {
  monitorId: string;
  dueMs: number;
}

type Stage = 'queued' | 'quick' | 'slow' | 'between' | 'over';

interface Run {
  readonly assignment: Assignment;
  readonly dueMs: number;
  attempt: number;
  stage: Stage;
  /** Monotonic, of the last attempt's start or of its entry into the queue. */
  sinceMs: number;
  startedAtMs: number;
  stalledBeforeMs: number;
  recheck: Timer | null;
  /** Its assignment is gone or has changed: it is finished and recorded, and decides nothing any more. */
  isDetached: boolean;
  /** The slot that came up while this one was under way. */
  next: { assignment: Assignment; dueMs: number } | null;
}

const RECHECK_AFTER_MS = 250;
/** A failure while this process stood still for that share of the timeout says nothing about the target. */
const STALLED_SHARE = 0.25;

/** Runs slots: one check of a monitor at a time, bounded in all, slow targets on a budget of their own. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #clock: Clock;
  readonly #active = new Map<string, Run>();
  readonly #detached = new Set<Run>();
  readonly #queue = new Fifo<Run>();
  readonly #quickOrder = new Fifo<Run>();
  /** Monitors whose last check failed for good, and those that took long: all others are absent. */
  readonly #failing = new Set<string>();
  readonly #slowMonitors = new Set<string>();
  #limit: number;
  #quick = 0;
  #slow = 0;
  #orders = 0;
  #limitReached = false;
  #look: Timer | null = null;
  #lookDueMs = 0;
  #stalledMs = 0;
  #isStopping = false;
  #onIdle: (() => void) | null = null;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#limit = Math.min(256, options.limits.maxQuick);
  }

  /** Checks under way now. */
  get inFlight(): number {
    return this.#quick + this.#slow + this.#orders;
  }

  /** Slots that have come up and whose first result is still to be recorded. */
  open(): OpenSlot[] {
    const slots: OpenSlot[] = [];
    for (const run of [...this.#active.values(), ...this.#detached]) {
      const monitorId = run.assignment.monitor_id;
      if (run.attempt === 1 && run.stage !== 'between') slots.push({ monitorId, dueMs: run.dueMs });
      if (run.next) slots.push({ monitorId, dueMs: run.next.dueMs });
    }
    return slots;
  }

  /** Takes a slot that is due. Its result, or why there is none, is recorded in time. */
  slot(assignment: Assignment, dueMs: number): void {
    const active = this.#active.get(assignment.monitor_id);
    if (!active) return this.#admit(newRun(assignment, dueMs));
    if (active.next) this.#miss(active.next, 'overload');
    active.next = { assignment, dueMs };
  }

  /** Starts the monitor anew, as its configuration has changed or it is gone: what is under way stands in nobody's way. */
  forget(monitorId: string): void {
    this.#failing.delete(monitorId);
    this.#slowMonitors.delete(monitorId);
    const run = this.#active.get(monitorId);
    if (!run) return;
    this.#active.delete(monitorId);
    if (run.next) this.#miss(run.next, 'overload');
    run.next = null;
    run.recheck?.cancel();
    if (run.stage === 'between') run.stage = 'over';
    else this.#detached.add(run);
    run.isDetached = true;
  }

  /** One check at once, beside the schedule. */
  async order(assignment: Assignment, reason: 'confirm' | 'manual'): Promise<CheckResult> {
    const startedAtMs = this.#clock.now();
    const made = { scheduledAtMs: startedAtMs, startedAtMs, attempt: 1, reason };
    if (this.#orders >= this.#options.limits.maxOrders || this.#isStopping) return resultOf(assignment, made, missed('overload'));
    this.#orders += 1;
    try {
      return resultOf(assignment, made, await this.#options.check(assignment.spec, assignment.timeout_ms));
    } finally {
      this.#orders -= 1;
    }
  }

  /** Takes nothing new, waits up to `graceMs` for what is under way and records the rest as missed. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const run of this.#queue.clear()) this.#abandon(run);
    for (const run of this.#active.values()) {
      if (run.stage === 'between') this.#abandon(run);
    }
    if (this.#active.size + this.#detached.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.setTimer(graceMs, resolve);
        this.#onIdle = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    for (const run of [...this.#active.values(), ...this.#detached]) this.#abandon(run);
    this.#look?.cancel();
  }

  #abandon(run: Run): void {
    if (run.attempt === 1 && run.stage !== 'between') this.#miss(run, 'probe_down');
    if (run.next) this.#miss(run.next, 'probe_down');
    run.next = null;
    run.recheck?.cancel();
    this.#leave(run);
  }

  #leave(run: Run): void {
    run.stage = 'over';
    if (run.isDetached) this.#detached.delete(run);
    else this.#active.delete(run.assignment.monitor_id);
  }

  #admit(run: Run): void {
    this.#active.set(run.assignment.monitor_id, run);
    run.sinceMs = this.#clock.monotonic();
    if (this.#slowMonitors.has(run.assignment.monitor_id)) {
      if (this.#slow >= this.#options.limits.maxSlow) return this.#refuse(run);
      this.#slow += 1;
      return this.#start(run, 'slow');
    }
    if (this.#quick < this.#limit && this.#queue.size === 0) return this.#startQuick(run);
    this.#limitReached = true;
    if (this.#queue.size >= this.#options.limits.maxQueued) return this.#refuse(run);
    run.stage = 'queued';
    this.#queue.put(run);
    this.#watch();
  }

  #startQuick(run: Run): void {
    this.#quick += 1;
    this.#quickOrder.put(run);
    this.#start(run, 'quick');
  }

  #start(run: Run, stage: 'quick' | 'slow'): void {
    run.stage = stage;
    run.sinceMs = this.#clock.monotonic();
    run.startedAtMs = this.#clock.now();
    run.stalledBeforeMs = this.#stalledMs;
    this.#watch();
    void this.#options.check(run.assignment.spec, run.assignment.timeout_ms).then((finding) => this.#done(run, finding));
  }

  #refuse(run: Run): void {
    if (run.attempt === 1) this.#miss(run, 'overload');
    this.#close(run);
  }

  #miss(slot: { assignment: Assignment; dueMs: number }, reason: MissedReason): void {
    this.#options.record(missedResult(slot.assignment, { atMs: slot.dueMs, count: 1 }, reason), false);
  }

  #done(run: Run, found: Finding): void {
    if (run.stage === 'quick') this.#quick -= 1;
    else if (run.stage === 'slow') this.#slow -= 1;
    if (run.stage === 'over') return this.#drainQueue();
    const tookMs = this.#clock.monotonic() - run.sinceMs;
    const finding = this.#isOwnFault(run, found, tookMs) ? missed('overload') : found;
    this.#record(run, finding);
    const isOver = run.isDetached || !this.#goesOn(run, finding, tookMs);
    if (isOver) this.#close(run);
    this.#drainQueue();
  }

  #record(run: Run, finding: Finding): void {
    const { assignment, dueMs, startedAtMs, attempt } = run;
    const isChange = this.#failing.has(assignment.monitor_id) || attempt > 1 || !isSlot(assignment, dueMs);
    const urgent = finding.outcome === 'failure' || (finding.outcome === 'success' && isChange);
    const made = { scheduledAtMs: dueMs, startedAtMs, attempt, reason: attempt === 1 ? ('schedule' as const) : ('confirm' as const) };
    this.#options.record(resultOf(assignment, made, finding), urgent);
  }

  /** Learns from what was found; true when a recheck follows. */
  #goesOn(run: Run, finding: Finding, tookMs: number): boolean {
    const { monitor_id: monitorId, retries } = run.assignment;
    if (tookMs > SLOW_AFTER_MS) this.#slowMonitors.add(monitorId);
    else this.#slowMonitors.delete(monitorId);
    const isNews = finding.outcome === 'failure' && !this.#failing.has(monitorId);
    if (isNews && run.attempt <= retries && this.#recheckLater(run)) return true;
    if (finding.outcome === 'failure') this.#failing.add(monitorId);
    else if (finding.outcome === 'success') this.#failing.delete(monitorId);
    return false;
  }

  #isOwnFault(run: Run, finding: Finding, tookMs: number): boolean {
    if (finding.outcome !== 'failure' || finding.error?.type === 'status_code') return false;
    const timeoutMs = run.assignment.timeout_ms;
    return tookMs > timeoutMs * 1.5 + 500 || this.#stalledMs - run.stalledBeforeMs > timeoutMs * STALLED_SHARE;
  }

  /** False when the next slot comes first and will do the confirming. */
  #recheckLater(run: Run): boolean {
    const { interval_ms: intervalMs } = run.assignment;
    const delayMs = Math.min(RECHECK_AFTER_MS * (1 + this.#options.random()), intervalMs / 8);
    const nowMs = this.#clock.now();
    if (this.#isStopping || run.next || nowMs + delayMs >= nextSlot(run.assignment, Math.max(run.dueMs, nowMs - 1))) return false;
    run.stage = 'between';
    run.recheck = this.#clock.setTimer(delayMs, () => {
      run.recheck = null;
      run.attempt += 1;
      this.#admit(run);
    });
    return true;
  }

  #close(run: Run): void {
    this.#leave(run);
    const { next } = run;
    run.next = null;
    if (next && this.#isStopping) this.#miss(next, 'probe_down');
    else if (next) this.#takeWaiting(next);
    if (this.#isStopping && this.#active.size + this.#detached.size === 0) this.#onIdle?.();
  }

  #takeWaiting(next: { assignment: Assignment; dueMs: number }): void {
    const lateMs = this.#clock.now() - next.dueMs;
    if (lateMs > Math.min(next.assignment.interval_ms / 2, LATE_LIMIT_MS)) this.#miss(next, 'overload');
    else this.#admit(newRun(next.assignment, next.dueMs));
  }

  #drainQueue(): void {
    while (this.#queue.size > 0 && this.#quick < this.#limit) {
      const run = this.#queue.take() as Run;
      if (this.#hasExpired(run)) this.#refuse(run);
      else this.#startQuick(run);
    }
  }

  #hasExpired(run: Run): boolean {
    return this.#clock.monotonic() - run.sinceMs > Math.min(run.assignment.interval_ms / 2, LATE_LIMIT_MS);
  }

  #watch(): void {
    if (this.#look) return;
    this.#lookDueMs = this.#clock.monotonic() + LOOK_EVERY_MS;
    this.#look = this.#clock.setTimer(LOOK_EVERY_MS, () => this.#lookAtLoad());
  }

  #lookAtLoad(): void {
    this.#look = null;
    const nowMs = this.#clock.monotonic();
    const lateMs = nowMs - this.#lookDueMs;
    if (lateMs > LOOK_EVERY_MS) this.#stalledMs += lateMs;
    this.#limit = nextLimit(this.#limit, lateMs, this.#limitReached, this.#options.limits);
    this.#limitReached = this.#queue.size > 0;
    this.#moveSlow(nowMs);
    for (let run = this.#queue.peek(); run && this.#hasExpired(run); run = this.#queue.peek()) this.#refuse(this.#queue.take() as Run);
    this.#drainQueue();
    if (this.#quickOrder.size > 0 || this.#queue.size > 0) this.#watch();
  }

  /** Hands the places of checks that take long to the next ones. */
  #moveSlow(nowMs: number): void {
    for (let run = this.#quickOrder.peek(); run; run = this.#quickOrder.peek()) {
      if (run.stage === 'quick') {
        if (nowMs - run.sinceMs < SLOW_AFTER_MS || this.#slow >= this.#options.limits.maxSlow) return;
        run.stage = 'slow';
        this.#quick -= 1;
        this.#slow += 1;
      }
      this.#quickOrder.take();
    }
  }
}

function newRun(assignment: Assignment, dueMs: number): Run {
  return { assignment, dueMs, attempt: 1, stage: 'queued', sinceMs: 0, startedAtMs: 0, stalledBeforeMs: 0, recheck: null, isDetached: false, next: null };
}
