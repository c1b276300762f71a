import { test } from 'vitest';
import type { Invariants } from './invariants.ts';

/** A fault's line in the table. */
export interface FaultReport {
  id: string;
  done: string;
  outcome: string;
  invariants: Invariants;
}

/** What a fault has counted, in words and as invariants. */
export type Outcome = Pick<FaultReport, 'outcome' | 'invariants'>;

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultReport;
  }
}

/**
 * Declares one fault of the matrix as a test. `run` injects it, asserts, and returns the counts for the tables
 * of `npm run faults`: as `tell` makes them of a tally, or in words only.
 */
export function fault(id: string, done: string, run: () => Promise<Outcome | string>): void {
  test(`${id}: ${done}`, async ({ task }) => {
    const result = await run();
    const report = typeof result === 'string' ? { outcome: result, invariants: {} } : result;
    task.meta.fault = { id, done, ...report };
  });
}
