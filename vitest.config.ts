import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Against hanging only: far longer than any test takes on a machine that is busy with other work. */
const TIMEOUT_MS = process.env['FARWATCH_FAULTS'] === 'all' ? 7_200_000 : 600_000;

/** These take longest, so they start first: the last files then leave no worker idle for long. */
const LONGEST = [
  'faults/several-controllers', 'faults/elections', 'faults/attacks', 'faults/installation', 'faults/uplinks',
  'faults/far-probe', 'faults/outages', 'faults/controller-clock', 'faults/epochs', 'faults/versions',
  'faults/unacknowledged', 'faults/delivery-kills',
  'bus/assignments-moves', 'bus/probe/key-rotation', 'bus/few-votes', 'bus/nats-sites', 'e2e/start', 'e2e/nats-cluster',
  'e2e/shards', 'e2e/command/commands',
  'browser/overview', 'browser/console-sweep', 'browser/console-settings', 'api/authorization', 'api/integrations-causes',
  'api/integrations', 'api/monitors-write',
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((path) => moduleId.endsWith(path));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * One project per kind of test; `npm run verify` runs `unit`, `npm test` runs them all. `workers` is how many
 * files run side by side: two where they compute, more where they wait for timers of real processes.
 */
const project = (name: string, workers: number, setup: string[] = []) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    pool: 'forks' as const,
    maxWorkers: workers,
    // A process loads the product's modules once for all its files.
    isolate: false,
    setupFiles: [
      'test/helpers/property-seed.ts', 'test/helpers/null-free-file.ts', 'test/helpers/fast-nkeys.ts', ...setup,
    ],
  },
});

/** Computes more than it waits. */
const computing = (name: string, workers = 2) => project(name, workers, ['test/helpers/low-priority.ts']);

const browser = computing('browser');
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
    sequence: { sequencer: LongestFirst },
    projects: [
      computing('unit'),
      computing('simulation'),
      computing('store'),
      project('bus', 3),
      // The last step of `npm test`: while one file waits, two others compute.
      computing('api', 3),
      project('faults', 6),
      project('e2e', 4),
      project('diagnosis', 1),
      // All of them may install packages, and most of their time is that.
      project('services', 2),
      browser,
      packaging,
    ],
  },
});
