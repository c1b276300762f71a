// What `npm test` runs: all checks and all tests, on real servers. `npm test -- unit bus` runs only those.
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { runBundled } from './bundle.mjs';
import { CHECKS, conclude, prepare, repeatBroken, root, runCheck, runTests, say } from './steps.mjs';

const PROJECTS = ['unit', 'simulation', 'store', 'bus', 'api', 'faults', 'e2e'];
const NEEDS_NATS = ['bus', 'api', 'e2e'];
/** Those that depend on nothing but themselves are not run twice. */
const STEADY = ['unit', 'simulation'];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in CHECKS) && !PROJECTS.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')}: unknown; there are ${[...Object.keys(CHECKS), ...PROJECTS].join(', ')}\n`);
  process.exit(2);
}
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);

await prepare();
if (NEEDS_NATS.some(isWanted)) await ensureNats();
if (isWanted('e2e')) await ensureBundles({ root, say });
const outcomes = [];
// Two at a time is what a small machine has cores for.
outcomes.push(...(await Promise.all(['types', 'boundaries'].filter(isWanted).map(runCheck))));
if (isWanted('lint')) outcomes.push(await runCheck('lint'));
for (const project of PROJECTS.filter(isWanted)) {
  const outcome = await runTests(project);
  outcomes.push(STEADY.includes(project) ? outcome : await repeatBroken(outcome));
}
conclude(outcomes);

/** The servers that tests run on are found and installed by the same code as the product's. */
async function ensureNats() {
  const { ensureNatsPrograms } = await runBundled('test/helpers/nats-programs.ts');
  await ensureNatsPrograms(say);
}
