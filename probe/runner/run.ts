import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { Timer } from '../../shared/time.ts';
import type { Finding } from '../checks/check.ts';
import type { Admission } from './gate.ts';

export interface Slot {
  readonly assignment: Assignment;
  readonly dueMs: number;
}

/** One slot or on-demand check, with its rechecks. */
export interface Run extends Slot {
  /** Without a recorded result yet, in order of start: results are recorded in that order. */
  attempts: Attempt[];
  /** The timer of the next attempt, if there is one. */
  recheck: Timer | null;
  /** Already recorded: results of checks still running are discarded. */
  isOver: boolean;
  /**
   * Its assignment was changed or removed, or the next slot is due: it is recorded but has no further
   * effects.
   */
  isDetached: boolean;
  /** The slot that became due while this one was running. */
  next: Slot | null;
  /** Runs in addition to the schedule and covers no slot. */
  readonly isOnDemand: boolean;
  /** The latest attempt that had started before another check was requested; 0 if none. */
  doubted: number;
}

/** One check of a run. */
export interface Attempt extends Admission {
  readonly run: Run;
  /** From 1. */
  readonly number: number;
  startedAtMs: number;
  stalledBeforeMs: number;
  /** Its finding, while earlier attempts are still running. */
  ended: { finding: Finding; tookMs: number } | null;
}

export function newRun({ assignment, dueMs }: Slot, isOnDemand = false): Run {
  return {
    assignment, dueMs, attempts: [], recheck: null, isOver: false, isDetached: false, next: null, isOnDemand,
    doubted: 0,
  };
}

export function attemptOf(run: Run, number: number, missedBefore: number): Attempt {
  const attempt: Attempt =
    { run, number, missedBefore, stage: 'outside', sinceMs: 0, startedAtMs: 0, stalledBeforeMs: 0, ended: null };
  run.attempts.push(attempt);
  return attempt;
}

/** Whether the slot's first result is still to be recorded. */
export function isOpen(run: Run): boolean {
  return run.attempts.some(standsForSlot);
}

/** Whether the attempt's result is the slot's first result. */
export function standsForSlot({ run, number }: Attempt): boolean {
  return number === 1 && !run.isOnDemand;
}

/** Whether a check of the run is still running. */
export function isRunning(run: Run): boolean {
  return run.attempts.some(({ stage }) => stage === 'quick' || stage === 'slow');
}
