import { test } from 'vitest';

/** A fault's line in the table. */
export interface FaultReport {
  id: string;
  done: string;
  outcome: string;
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultReport;
  }
}

/**
 * Declares one fault of the matrix as a test. `run` injects it, asserts, and returns the counts for the table
 * of `npm run faults`.
 */
export function fault(id: string, done: string, run: () => Promise<string>): void {
  test(`${id}: ${done}`, async ({ task }) => {
    task.meta.fault = { id, done, outcome: await run() };
  });
}
