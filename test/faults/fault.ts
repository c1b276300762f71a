import { test } from 'vitest';
import type { Invariants } from './invariants.ts';

/** A fault's line in the table. */
export interface FaultReport {
  id: string;
  done: string;
  outcome: string;
  invariants: Invariants;
}

/** The counts of a fault, as text and as invariants. */
export type Outcome = Pick<FaultReport, 'outcome' | 'invariants'>;

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultReport;
  }
}

/**
 * Declares one fault of the matrix as a test. `run` injects it, asserts, and returns the counts for the tables
 * of `npm run faults`: as `toOutcome` creates them from a tally, or only as text.
 */
export function fault(id: string, done: string, run: () => Promise<Outcome | string>): void {
  test(`${id}: ${done}`, async ({ task }) => {
    const result = await run();
    const report = typeof result === 'string' ? { outcome: result, invariants: {} } : result;
    task.meta.fault = { id, done, ...report };
  });
}
