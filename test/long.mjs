// `npm run test:long`: what a release must pass in addition to `npm test`: all faults with all repeats, all outages of
// the diagnosis, checks of real services, every language and screenshot of the pages, the browser tests once more below
// a path, all null-free tests on a database without nulls, all rules of the ingest's protocol, more random seeds and
// inputs, and the packages where this machine can build them.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { Progress } from './progress.mjs';
import { root } from './root.mjs';
import { conclude, ensureNats, LONG_STEPS, prepare, runSteps, runTests, say } from './steps.mjs';

Object.assign(process.env, {
  TEST_LONG: 'yes', TEST_WITHOUT_NULLS: 'all', FARWATCH_FAULTS: 'all', FARWATCH_OUTAGES: 'all',
  STORE_RANDOM_RUNS: '2000',
});
/** Separate programs, which print their progress. */
const COMMANDS = [
  ['simulate', '--seeds', '1000'], ['fuzz'], ['fuzz', '--bus'], ['fuzz', '--parsers'],
];

await prepare();
await ensureNats();
await ensureBundles({ root, say });
const outcomes = await runSteps(
  [['unit', 'simulation', 'store', 'bus', 'api'], ['services', 'browser', 'faults', 'diagnosis']],
  new Progress(LONG_STEPS.tests),
);
say('browser, below a path');
process.env.TEST_BASE_PATH = '/uptime';
outcomes.push({ ...await runTests('browser', new Progress(LONG_STEPS.belowPath)), name: 'browser below a path' });
delete process.env.TEST_BASE_PATH;
for (const [name, ...args] of COMMANDS) outcomes.push(await runCommand(name, args));
if (process.platform === 'linux' && process.getuid() === 0) {
  outcomes.push(await runTests('packaging', new Progress(LONG_STEPS.packaging)));
} else say('packaging is left out: it needs root on Linux');
conclude(outcomes);

/** @returns {Promise<import('./steps.mjs').Outcome>} */
function runCommand(name, args) {
  const title = ['npm run', name, ...(args.length > 0 ? ['--'] : []), ...args].join(' ');
  say(title);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`test/${name}.mjs`, ...args], { cwd: root, stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve({ name: title, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }));
  });
}
