import { defineConfig } from 'vitest/config';

/** One project per kind of test; `npm run verify` runs `unit`, `npm test` runs them all. */
const project = (name: string, timeoutMs: number, parallel: boolean) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    fileParallelism: parallel,
    pool: 'forks' as const,
    // What a small machine has cores for; the default leaves one of two idle.
    maxWorkers: 2,
    setupFiles: ['test/helpers/property-seed.ts'],
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', 30_000, true),
      project('simulation', 400_000, true),
      project('store', 120_000, true),
      project('bus', 120_000, true),
      project('api', 120_000, true),
      // All repeats of a fault, as `npm run faults` does them, are one test.
      project('faults', process.env['FARWATCH_FAULTS'] === 'all' ? 900_000 : 240_000, true),
      project('e2e', 300_000, false),
    ],
  },
});
