import { defineConfig } from 'vitest/config';

/** Against hanging only: far longer than any test takes on a machine that is busy with other work. */
const TIMEOUT_MS = process.env['FARWATCH_FAULTS'] === 'all' ? 7_200_000 : 600_000;

/**
 * One project per kind of test; `npm run verify` runs `unit`, `npm test` runs them all. `workers` is how many
 * files run side by side: two where they compute, more where they wait for timers of real processes.
 */
const project = (name: string, workers: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    pool: 'forks' as const,
    maxWorkers: workers,
    // A process loads the product's modules once for all its files.
    isolate: false,
    setupFiles: ['test/helpers/property-seed.ts', 'test/helpers/null-free-file.ts'],
  },
});

const browser = project('browser', 2);
Object.assign(browser.test, {
  globalSetup: 'test/browser/console-setup.ts', expect: { poll: { timeout: 60_000, interval: 25 } },
});

// Images are built in hooks, from packages that a slow mirror may send.
const packaging = project('packaging', 1);
Object.assign(packaging.test, {
  globalSetup: 'test/packaging/setup.ts', testTimeout: 3_600_000, hookTimeout: 3_600_000,
});

export default defineConfig({
  test: {
    experimental: { fsModuleCache: true },
    projects: [
      project('unit', 2),
      project('simulation', 2),
      project('store', 2),
      project('bus', 3),
      project('api', 2),
      project('faults', 4),
      project('e2e', 4),
      // All of them may install packages, and most of their time is that.
      project('services', 2),
      browser,
      packaging,
    ],
  },
});
