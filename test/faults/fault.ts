import { test, type TestAPI } from 'vitest';
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
  declareFault(test, id, done, run);
}

/** A fault that takes long, and whose parts other tests share: not in `npm test`. */
export function longFault(id: string, done: string, run: () => Promise<Outcome | string>): void {
  declareFault(test.runIf(process.env['FARWATCH_FAULTS'] === 'all'), id, done, run);
}

function declareFault(
  declare: TestAPI | ReturnType<TestAPI['runIf']>, id: string, done: string, run: () => Promise<Outcome | string>,
): void {
  declare(`${id}: ${done}`, async ({ task }) => {
    const result = await run();
    const report = typeof result === 'string' ? { outcome: result, invariants: {} } : result;
    task.meta.fault = { id, done, ...report };
  });
}
