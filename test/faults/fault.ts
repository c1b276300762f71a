import { test } from 'vitest';

/** What a fault's line in the table says. */
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
 * One fault of the matrix as a test: `run` does it, asserts, and returns what was counted, for the table of
 * `npm run faults`.
 */
export function fault(id: string, done: string, run: () => Promise<string>): void {
  test(`${id}: ${done}`, async ({ task }) => {
    task.meta.fault = { id, done, outcome: await run() };
  });
}
