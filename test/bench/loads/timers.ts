import { systemClock } from '../../../shared/time.ts';
import { newId } from '../../../shared/ids.ts';
import type { Assignment } from '../../../shared/contracts/assignment.ts';
import { Scheduler } from '../../../probe/scheduler/scheduler.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

export interface TimerFigures {
  fired: number;
  missed: number;
  /** Delay of each start, ms. */
  p50: number;
  p99: number;
  max: number;
}

interface TimerOptions {
  monitors: number;
  intervalMs: number;
  forMs: number;
}

/** The probe's scheduler on the real clock, with checks that do nothing. */
export async function wheelTimers(options: Record<string, unknown>): Promise<TimerFigures> {
  const { monitors, intervalMs, forMs } = options as unknown as TimerOptions;
  const late: number[] = [];
  let missed = 0;
  const scheduler = new Scheduler(systemClock, {
    due: (_assignment, dueMs) => void late.push(Date.now() - dueMs),
    missed: (_assignment, run) => (missed += run.count),
  });
  for (let index = 0; index < monitors; index += 1) {
    scheduler.set(assignmentAt(index, intervalMs, Math.floor((index / monitors) * intervalMs)));
  }
  scheduler.start();
  await afterStart(late, forMs);
  scheduler.stop();
  return figuresOf(late, missed);
}

/** How much later checks start in the last interval than in the first, on virtual time, ms. */
export async function virtualHour(options: Record<string, unknown>): Promise<{ drift: number; missed: number }> {
  const { monitors, intervalMs, forMs } = options as unknown as TimerOptions;
  const clock = new SimulatedClock();
  const late = { first: 0, last: 0 };
  const startMs = clock.now();
  let missed = 0;
  const scheduler = new Scheduler(clock, {
    due: (_assignment, dueMs) => {
      const sinceMs = dueMs - startMs;
      const which = sinceMs < intervalMs ? 'first' : sinceMs >= forMs - intervalMs ? 'last' : null;
      if (which) late[which] = Math.max(late[which], clock.now() - dueMs);
    },
    missed: (_assignment, run) => (missed += run.count),
  });
  for (let index = 0; index < monitors; index += 1) {
    scheduler.set(assignmentAt(index, intervalMs, Math.floor((index / monitors) * intervalMs)));
  }
  scheduler.start();
  await clock.advance(forMs);
  scheduler.stop();
  return { drift: Math.max(0, late.last - late.first), missed };
}

/** Uses a share of its core, from 0 to 1, until it is killed. */
export function burnCpu(options: Record<string, unknown>): Promise<never> {
  const { share } = options as { share: number };
  const eachMs = 10;
  setInterval(() => {
    const until = performance.now() + share * eachMs;
    while (performance.now() < until);
  }, eachMs);
  return new Promise(() => undefined);
}

/** One timer per monitor, set after each check for the rest of the interval: the usual approach, which drifts. */
export function naiveTimers(options: Record<string, unknown>): Promise<TimerFigures> {
  return timerEach(options, (dueMs, startedMs, intervalMs) => ({
    dueMs: dueMs + intervalMs, delayMs: intervalMs - (Date.now() - startedMs),
  }));
}

/** One timer per monitor, set for the absolute time of its next slot. */
export function absoluteTimers(options: Record<string, unknown>): Promise<TimerFigures> {
  return timerEach(options, (dueMs, _startedMs, intervalMs) => ({
    dueMs: dueMs + intervalMs, delayMs: dueMs + intervalMs - Date.now(),
  }));
}

type Rearm = (dueMs: number, startedMs: number, intervalMs: number) => { dueMs: number; delayMs: number };

async function timerEach(options: Record<string, unknown>, rearm: Rearm): Promise<TimerFigures> {
  const { monitors, intervalMs, forMs } = options as unknown as TimerOptions;
  const late: number[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const arm = (dueMs: number, delayMs: number): void => {
    const timer = setTimeout(() => {
      const startedMs = Date.now();
      timers.delete(timer);
      late.push(startedMs - dueMs);
      const next = rearm(dueMs, startedMs, intervalMs);
      arm(next.dueMs, Math.max(0, next.delayMs));
    }, delayMs);
    timers.add(timer);
  };
  const start = Date.now() + 200;
  for (let index = 0; index < monitors; index += 1) {
    const dueMs = start + Math.floor((index / monitors) * intervalMs);
    arm(dueMs, Math.max(0, dueMs - Date.now()));
  }
  await afterStart(late, forMs);
  for (const timer of timers) clearTimeout(timer);
  return figuresOf(late, 0);
}

/** The first seconds, which create thousands of timers, are excluded for all loads. */
async function afterStart(late: number[], forMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5000));
  late.length = 0;
  await new Promise((resolve) => setTimeout(resolve, forMs));
}

function figuresOf(late: number[], missed: number): TimerFigures {
  const sorted = [...late].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { fired: late.length, missed, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function assignmentAt(index: number, intervalMs: number, phaseMs: number): Assignment {
  return {
    monitor_id: newId(index), organization_id: 'o', project_id: 'p', assignment_rev: 1,
    interval_ms: intervalMs, timeout_ms: intervalMs, phase_ms: phaseMs, retries: 0,
    allow_private: true, spec: { type: 'NONE' },
  };
}
