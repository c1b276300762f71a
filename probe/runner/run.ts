import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { Timer } from '../../shared/time.ts';
import type { Finding } from '../checks/check.ts';
import type { Admission } from './gate.ts';

export interface Slot {
  readonly assignment: Assignment;
  readonly dueMs: number;
}

/** What came of one slot, or of one check that was asked for: a check, and its rechecks. */
export interface Run extends Slot {
  /** Without a result yet, in the order of their start: results are recorded in that order. */
  attempts: Attempt[];
  /** The next attempt, when one is to come. */
  recheck: Timer | null;
  /** Recorded by other means: whatever the checks still find is of no interest. */
  isOver: boolean;
  /** Its assignment is gone or has changed, or its slot came: it is recorded, and decides nothing more. */
  isDetached: boolean;
  /** The slot that came up while this one was under way. */
  next: Slot | null;
  /** Asked for beside the schedule: it stands for no slot. */
  readonly isOnDemand: boolean;
  /** Another check was asked for after this attempt had begun; 0: none was. */
  doubted: number;
}

/** One check of a run. */
export interface Attempt extends Admission {
  readonly run: Run;
  /** From 1. */
  readonly number: number;
  startedAtMs: number;
  stalledBeforeMs: number;
  /** What it found, while attempts that began before it are under way. */
  ended: { finding: Finding; tookMs: number } | null;
}

export function newRun({ assignment, dueMs }: Slot, isOnDemand = false): Run {
  return {
    assignment, dueMs, attempts: [], recheck: null, isOver: false, isDetached: false, next: null, isOnDemand,
    doubted: 0,
  };
}

/** Adds an attempt to the run. */
export function attemptOf(run: Run, number: number): Attempt {
  const attempt: Attempt =
    { run, number, stage: 'outside', sinceMs: 0, startedAtMs: 0, stalledBeforeMs: 0, ended: null };
  run.attempts.push(attempt);
  return attempt;
}

/** Whether the slot's first result is still to be recorded. */
export function isOpen(run: Run): boolean {
  return run.attempts.some(standsForSlot);
}

/** Whether the attempt is what a slot has come to. */
export function standsForSlot({ run, number }: Attempt): boolean {
  return number === 1 && !run.isOnDemand;
}

/** Whether a check of the run has begun that has found nothing yet. */
export function isRunning(run: Run): boolean {
  return run.attempts.some(({ stage }) => stage === 'quick' || stage === 'slow');
}
