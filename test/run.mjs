// `npm test`: all checks and all tests, on real servers. `npm test -- unit bus` runs only those steps.
import { randomInt } from 'node:crypto';
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { Progress } from './progress.mjs';
import { root } from './root.mjs';
import { CHECKS, conclude, ensureNats, LONG_STEPS, prepare, runSteps, say, STEPS } from './steps.mjs';

const ON_SERVERS = ['bus', 'api', 'faults', 'e2e', 'browser'];
/** Some files of these run on a database that stores no null. */
const NULL_FREE = ['store', 'bus', 'api'];
const BUNDLED = ['faults', 'e2e', 'browser'];
/**
 * Queues run side by side, and their steps one after another. Faults mostly wait, so they start first, and what computes
 * fills both cores beside them. The browser follows them, because it fails requests while they change the network.
 */
const QUEUES = [
  ['faults', 'browser'], ['bus', 'e2e', 'diagnosis', 'simulation', 'services'], [...Object.keys(CHECKS), 'store', 'unit', 'api'],
];

const named = process.argv.slice(2);
/** Seconds by step; `services` runs only when it is named. */
const SECONDS = { ...STEPS, services: LONG_STEPS.tests.services };
const unknown = named.filter((name) => !(name in SECONDS));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown step: ${unknown.join(', ')}. The steps are ${Object.keys(SECONDS).join(', ')}.\n`,
  );
  process.exit(2);
}
const steps = Object.keys(SECONDS).filter((name) => (named.length === 0 ? name in STEPS : named.includes(name)));

const needs = (names) => steps.some((name) => names.includes(name));
let servers = null;
await prepare(async () => {
  servers = needs(ON_SERVERS) ? ensureNats() : null;
  // The steps report it.
  servers?.catch(() => undefined);
  if (needs(BUNDLED)) await ensureBundles({ root, say });
});
if (needs(NULL_FREE)) {
  process.env.TEST_SEED ||= String(randomInt(1e6));
  say(`TEST_SEED=${process.env.TEST_SEED} selects the test files that run on a database without nulls`);
}
if (needs(['faults'])) process.env.TEST_BESIDE_FAULTS = 'yes';
const progress = new Progress(Object.fromEntries(steps.map((name) => [name, SECONDS[name]])));
progress.open();
const queues = QUEUES.map((queue) => queue.filter((name) => steps.includes(name)));
conclude(await runSteps(queues, progress, (name) => (ON_SERVERS.includes(name) ? servers : null)));
