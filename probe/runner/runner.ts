import { spreadMs } from '../../shared/backoff.ts';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type { CheckResult, MissedReason } from '../../shared/contracts/result.ts';
import type { Clock } from '../../shared/time.ts';
import { missed, type Finding } from '../checks/check.ts';
import { isSlot, LATE_LIMIT_MS, nextSlot, type SlotRun } from '../scheduler/slots.ts';
import { OnDemandChecks } from './on-demand-checks.ts';
import { Gate } from './gate.ts';
import { judged } from './inverted.ts';
import { SLOW_AFTER_MS, type Limits } from './limits.ts';
import { MissedSlots } from './missed-slots.ts';
import { withoutOwnFault } from './own-fault.ts';
import { missedResult, resultOf, type SentWithResult } from './result.ts';
import {
  attemptOf, isOpen, isRunning, newRun, standsForSlot, type Attempt, type Run, type Slot,
} from './run.ts';
import { SentFacts } from './sent-facts.ts';
import { type NameServersOf, SentTargets } from './sent-targets.ts';

/** Observes checks. Called for each of them, so its methods must be fast and must not throw. */
export interface Observer {
  /** The result of a slot or recheck was recorded. */
  checked: (assignment: Assignment, result: CheckResult, finding: Finding) => void;
  /** A check ordered to confirm a failure is done. */
  confirmed: (assignment: Assignment, result: CheckResult, finding: Finding) => void;
  /** The monitor was changed or removed. */
  forget: (monitorId: string) => void;
}

export interface RunnerOptions {
  clock: Clock;
  limits: Limits;
  /** Runs one check; never rejects. */
  check: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean) => Promise<Finding>;
  /**
   * Whether this probe has lost the network, now or at any time since `sinceMs` (monotonic), the start of a
   * check that failed. Never rejects.
   */
  isCutOff: (sinceMs: number) => Promise<boolean>;
  /** Receives every result; `isUrgent` ones are not delayed for batching. */
  record: (result: CheckResult, isUrgent: boolean) => void;
  observer?: Observer;
  nameServersOf?: NameServersOf;
  /** From 0 (inclusive) to 1, for the jitter of rechecks. */
  random: () => number;
}

/** A slot that became due and has no result yet. */
export interface OpenSlot {
  monitorId: string;
  dueMs: number;
}

/** Long enough for a connection to be closed, short enough not to delay an alert. */
const RECHECK_AFTER_MS = 100;
/** Long enough for a healthy target to respond in most cases. */
const AHEAD_AFTER_MS = 50;
/** Maximum jitter as a share of either delay, so that rechecks after one outage spread. */
const RECHECK_SPREAD = 0.5;

/** Runs slots: one check per monitor at a time and rechecks of new failures. Records every slot. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #clock: Clock;
  readonly #gate: Gate<Attempt>;
  readonly #active = new Map<string, Run>();
  readonly #detached = new Set<Run>();
  /** Attempts whose run has ended: they are still recorded but have no other effects. */
  readonly #orphaned = new Set<Attempt>();
  readonly #onDemand = new OnDemandChecks();
  /** Monitors whose last check failed after its rechecks, and those that were slow. Others are absent. */
  readonly #failing = new Set<string>();
  readonly #slow = new Set<string>();
  readonly #missedSlots: MissedSlots;
  readonly #sentFacts = new SentFacts();
  readonly #sentTargets: SentTargets;
  #orders = 0;
  #isStopping = false;
  #onIdle: (() => void) | null = null;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#sentTargets = new SentTargets(options.nameServersOf ?? (() => null));
    this.#missedSlots = new MissedSlots((assignment, run) =>
      this.#options.record(missedResult(assignment, run, 'overload'), false));
    this.#gate = new Gate<Attempt>({
      clock: options.clock, limits: options.limits, maxQueueMs: ({ run }) => maxStartDelayMs(run),
      start: (attempt) => this.#start(attempt),
      refuse: (attempt) => this.#refuse(attempt),
    });
  }

  /** Checks running now. */
  get inFlight(): number {
    return this.#gate.runningCount + this.#orders;
  }

  /** Slots that became due and whose first result is still to be recorded. */
  openSlots(): OpenSlot[] {
    const slots: OpenSlot[] = [...this.#missedSlots.held()];
    for (const run of [...this.#active.values(), ...this.#detached]) {
      const monitorId = run.assignment.monitor_id;
      if (isOpen(run)) slots.push({ monitorId, dueMs: run.dueMs });
      if (run.next) slots.push({ monitorId, dueMs: run.next.dueMs });
    }
    for (const { run: { assignment, dueMs } } of this.#orphanedSlots()) {
      slots.push({ monitorId: assignment.monitor_id, dueMs });
    }
    return slots;
  }

  /** Handles a due slot. Eventually records its result, or why there is none. */
  slot(assignment: Assignment, dueMs: number): void {
    const active = this.#active.get(assignment.monitor_id);
    this.#onDemand.checkStarted(assignment.monitor_id);
    // An on-demand check delays no slot.
    if (active?.isOnDemand) this.#detach(active);
    if (!active || active.isOnDemand) return this.#admit(newRun({ assignment, dueMs }));
    if (active.next) this.#miss(active.next, 'overload');
    active.next = { assignment, dueMs };
  }

  /** Records slots that are not run. */
  recordMissed(assignment: Assignment, run: SlotRun, reason: MissedReason): void {
    if (reason === 'overload' && !this.#isStopping) return this.#missedSlots.add(assignment, run, this.#clock.now());
    this.#missedSlots.recordHeld(assignment.monitor_id);
    this.#options.record(missedResult(assignment, run, reason), false);
  }

  /**
   * Checks a monitor in addition to the schedule, with rechecks. A check already running may have seen the
   * target before the request; if it succeeds, the monitor is checked again.
   */
  confirm(assignment: Assignment): void {
    const active = this.#active.get(assignment.monitor_id);
    if (active) this.#doubt(active);
    else this.#onDemand.add(assignment, this.#clock.monotonic());
    this.#startOnDemand();
  }

  /** Resets a monitor that was changed or removed: running checks no longer block its slots. */
  forget(monitorId: string): void {
    this.#onDemand.forget(monitorId);
    this.#failing.delete(monitorId);
    this.#slow.delete(monitorId);
    this.#sentFacts.forget(monitorId);
    this.#sentTargets.forget(monitorId);
    this.#options.observer?.forget(monitorId);
    const run = this.#active.get(monitorId);
    if (run?.next) this.#miss(run.next, 'overload');
    this.#missedSlots.end(monitorId);
    if (!run) return;
    run.next = null;
    this.#detach(run);
  }

  /** Runs one check immediately, in addition to the schedule. Its result carries no facts. */
  async order(assignment: Assignment, reason: 'confirm' | 'manual'): Promise<CheckResult> {
    const startedAtMs = this.#clock.now();
    const info = { scheduledAtMs: startedAtMs, startedAtMs, attempt: 1, reason };
    if (this.#orders >= this.#options.limits.maxOrders || this.#isStopping) {
      return resultOf(assignment, info, missed('overload'));
    }
    this.#orders += 1;
    try {
      const sinceMs = this.#clock.monotonic();
      const found = await this.#check(assignment);
      const seen = found.outcome === 'failure' ? await this.#attributed(found, sinceMs) : found;
      const finding = judged(assignment.spec, seen);
      const result = resultOf(assignment, info, finding);
      if (reason === 'confirm') this.#options.observer?.confirmed(assignment, result, finding);
      return result;
    } finally {
      this.#orders -= 1;
    }
  }

  /** Accepts nothing new, waits up to `graceMs` for running checks and records the rest as missed. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#missedSlots.endAll();
    for (const { run } of this.#gate.clear()) this.#abandon(run);
    for (const run of this.#active.values()) if (run.attempts.length === 0) this.#abandon(run);
    if (!this.#isIdle) await this.#idle(graceMs);
    for (const run of [...this.#active.values(), ...this.#detached]) this.#abandon(run);
    for (const { run } of this.#orphanedSlots()) this.#miss(run, 'probe_down');
    this.#orphaned.clear();
    this.#gate.stop();
  }

  /** Leaves half of the capacity to the schedule, and all of it while slots are queued. */
  #startOnDemand(): void {
    while (this.#gate.hasRoom && !this.#isStopping) {
      const assignment = this.#onDemand.take(this.#clock.monotonic());
      if (!assignment) return;
      this.#admit(newRun({ assignment, dueMs: this.#clock.now() }, true));
    }
  }

  #orphanedSlots(): Attempt[] {
    return [...this.#orphaned].filter(standsForSlot);
  }

  get #isIdle(): boolean {
    return this.#active.size + this.#detached.size + this.#orphaned.size === 0;
  }

  #idle(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(graceMs, resolve);
      this.#onIdle = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #detach(run: Run): void {
    this.#active.delete(run.assignment.monitor_id);
    run.isDetached = true;
    run.recheck?.cancel();
    if (run.attempts.length > 0) this.#detached.add(run);
  }

  #abandon(run: Run): void {
    if (isOpen(run)) this.#miss(run, 'probe_down');
    if (run.next) this.#miss(run.next, 'probe_down');
    run.next = null;
    this.#drop(run);
  }

  #doubt(run: Run): void {
    const latest = run.attempts.at(-1);
    run.doubted = latest && isRunning(run) ? latest.number : 0;
    if (latest && run.doubted > 0 && run.attempts.length === 1 && !run.recheck) this.#runAhead(latest);
  }

  #drop(run: Run): void {
    run.isOver = true;
    run.recheck?.cancel();
    if (run.isDetached) this.#detached.delete(run);
    else this.#active.delete(run.assignment.monitor_id);
  }

  #admit(run: Run, number = 1): void {
    const id = run.assignment.monitor_id;
    this.#active.set(id, run);
    this.#gate.enter(attemptOf(run, number, this.#missedSlots.inRow(id)), this.#slow.has(id));
  }

  #start(attempt: Attempt): void {
    attempt.startedAtMs = this.#clock.now();
    attempt.stalledBeforeMs = this.#gate.stalledMs;
    this.#runAhead(attempt);
    void this.#check(attempt.run.assignment).then((finding) => {
      const tookMs = this.#clock.monotonic() - attempt.sinceMs;
      if (finding.outcome !== 'failure') return this.#done(attempt, finding, tookMs);
      return this.#attributed(finding, attempt.sinceMs).then((found) => this.#done(attempt, found, tookMs));
    });
  }

  /**
   * Starts the recheck of a suspect target before the response arrives: a silent target then costs only one
   * timeout.
   */
  #runAhead({ run, number }: Attempt): void {
    const { monitor_id: monitorId, retries } = run.assignment;
    const isSuspect = run.isOnDemand || run.doubted > 0 || number > 1;
    if (!isSuspect || number > retries || this.#failing.has(monitorId)) return;
    run.recheck = this.#clock.setTimer(this.#spread(AHEAD_AFTER_MS), () => {
      run.recheck = null;
      if (this.#gate.hasRoom && !this.#isStopping) this.#admit(run, number + 1);
    });
  }

  /** A failure while this probe was cut off says nothing about the target. */
  async #attributed(failed: Finding, sinceMs: number): Promise<Finding> {
    return (await this.#options.isCutOff(sinceMs)) ? missed('probe_unhealthy') : failed;
  }

  #check({ spec, timeout_ms: timeoutMs, allow_private: allowPrivate }: Assignment): Promise<Finding> {
    return this.#options.check(spec, timeoutMs, allowPrivate);
  }

  #refuse(attempt: Attempt): void {
    const { run } = attempt;
    if (isOpen(run)) this.#miss(run, 'overload');
    // A removed monitor must leave no state.
    if (run.isDetached) this.#missedSlots.end(run.assignment.monitor_id);
    run.attempts = run.attempts.filter((other) => other !== attempt);
    if (run.attempts.length === 0) this.#close(run);
  }

  #miss({ assignment, dueMs }: Slot, reason: MissedReason): void {
    this.recordMissed(assignment, { atMs: dueMs, count: 1 }, reason);
  }

  #done(attempt: Attempt, found: Finding, tookMs: number): void {
    const { run } = attempt;
    const isOrphaned = this.#orphaned.delete(attempt);
    if (isOrphaned || !run.isOver) {
      const { spec, timeout_ms: timeoutMs } = run.assignment;
      const stalledMs = this.#gate.stalledMs - attempt.stalledBeforeMs;
      const finding = judged(spec, withoutOwnFault(found, { timeoutMs, tookMs, stalledMs }));
      attempt.ended = { finding, tookMs };
      if (isOrphaned) this.#record(attempt, finding);
      else {
        if (finding.outcome === 'success') this.#acceptSuccess(attempt);
        this.#settle(run);
      }
    }
    this.#gate.leave(attempt);
    this.#startOnDemand();
    if (this.#isStopping && this.#isIdle) this.#onIdle?.();
  }

  /** A target that responds is up, whatever earlier attempts may still find. */
  #acceptSuccess(attempt: Attempt): void {
    const { run } = attempt;
    if (attempt.number > run.doubted) run.doubted = 0;
    const others = run.attempts.filter((other) => other !== attempt);
    for (const other of others) if (other.ended) this.#record(other, other.ended.finding);
    run.attempts = [attempt, ...others.filter(({ ended }) => ended === null)];
  }

  #settle(run: Run): void {
    for (let first = run.attempts[0]; first?.ended; first = run.attempts[0]) {
      run.attempts.shift();
      this.#record(first, first.ended.finding);
      if (run.isDetached || !this.#needsRecheck(first, first.ended)) return this.#close(run);
    }
  }

  #record({ run, startedAtMs, number: attempt }: Attempt, finding: Finding): void {
    const { assignment, dueMs } = run;
    const isChange = run.isOnDemand || this.#failing.has(assignment.monitor_id) || attempt > 1 ||
      !isSlot(assignment, dueMs);
    const isUrgent = finding.outcome === 'failure' || (finding.outcome === 'success' && isChange);
    const info = {
      scheduledAtMs: dueMs, startedAtMs, attempt,
      reason: attempt === 1 && !run.isOnDemand ? ('schedule' as const) : ('confirm' as const),
    };
    // The next assignment starts afresh, and a removed one must leave no state.
    const facts = run.isDetached ? null : this.#factsOf(assignment.monitor_id, finding);
    const result = resultOf(assignment, info, finding, facts);
    if (finding.missed === 'overload' && !run.isDetached) {
      this.#missedSlots.recordHeld(assignment.monitor_id);
      this.#missedSlots.count(assignment);
    } else this.#missedSlots.end(assignment.monitor_id);
    this.#options.record(result, isUrgent);
    if (!run.isDetached) this.#options.observer?.checked(assignment, result, finding);
  }

  #factsOf(monitorId: string, { outcome, tls, facts }: Finding): SentWithResult {
    const nowMs = this.#clock.now();
    return {
      tls: this.#sentFacts.take(monitorId, tls, nowMs),
      target: facts && outcome !== 'missed' ? this.#sentTargets.take(monitorId, facts, nowMs) : null,
    };
  }

  /** Updates the monitor's state from the finding; true if a recheck follows. */
  #needsRecheck({ run, number }: Attempt, { finding, tookMs }: NonNullable<Attempt['ended']>): boolean {
    const { monitor_id: monitorId, retries } = run.assignment;
    if (tookMs > SLOW_AFTER_MS) this.#slow.add(monitorId);
    else this.#slow.delete(monitorId);
    const isNewFailure = finding.outcome === 'failure' && !this.#failing.has(monitorId);
    const mayRecheck = isNewFailure && number <= retries;
    if (mayRecheck && (run.attempts.length > 0 || this.#recheckLater(run, number + 1))) return true;
    if (finding.outcome === 'failure') this.#failing.add(monitorId);
    else if (finding.outcome === 'success') this.#failing.delete(monitorId);
    return false;
  }

  /** False if the next slot is due sooner and confirms the failure instead. */
  #recheckLater(run: Run, number: number): boolean {
    const delayMs = Math.min(this.#spread(RECHECK_AFTER_MS), run.assignment.interval_ms / 8);
    const nowMs = this.#clock.now();
    if (this.#isStopping || run.next ||
      nowMs + delayMs >= nextSlot(run.assignment, Math.max(run.dueMs, nowMs - 1))) {
      return false;
    }
    run.recheck?.cancel();
    run.recheck = this.#clock.setTimer(delayMs, () => {
      run.recheck = null;
      this.#admit(run, number);
    });
    return true;
  }

  #spread(delayMs: number): number {
    return Math.round(spreadMs(delayMs, RECHECK_SPREAD, this.#options.random()));
  }

  #close(run: Run): void {
    this.#drop(run);
    for (const rest of run.attempts.splice(0)) {
      if (rest.ended) this.#record(rest, rest.ended.finding);
      else this.#orphaned.add(rest);
    }
    const { next } = run;
    run.next = null;
    if (next && this.#isStopping) this.#miss(next, 'probe_down');
    else if (next) this.#takeWaiting(next);
    else if (run.doubted > 0 && !run.isDetached && !this.#failing.has(run.assignment.monitor_id)) {
      this.confirm(run.assignment);
    }
    if (this.#isStopping && this.#isIdle) this.#onIdle?.();
  }

  #takeWaiting(next: Slot): void {
    const run = newRun(next);
    if (this.#clock.now() - next.dueMs > maxStartDelayMs(run)) this.#miss(next, 'overload');
    else this.#admit(run);
  }
}

/** Maximum delay in starting a slot, ms. */
function maxStartDelayMs(slot: Slot): number {
  return Math.min(slot.assignment.interval_ms / 2, LATE_LIMIT_MS);
}
