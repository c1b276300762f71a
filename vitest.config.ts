import { defineConfig } from 'vitest/config';

/** Against hanging only: far longer than any test takes on a machine that is busy with other work. */
const TIMEOUT_MS = process.env['FARWATCH_FAULTS'] === 'all' ? 3_600_000 : 600_000;

/**
 * One project per kind of test; `npm run verify` runs `unit`, `npm test` runs them all. `workers` is the number of files that
 * run side by side: two where they compute, more where they wait for timers of real processes.
 */
const project = (name: string, workers: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    pool: 'forks' as const,
    maxWorkers: workers,
    setupFiles: ['test/helpers/property-seed.ts'],
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', 2),
      project('simulation', 2),
      project('store', 2),
      project('bus', 4),
      project('api', 3),
      project('faults', 5),
      project('e2e', 4),
    ],
  },
});
