// `npm run faults [-- F1 F9]`: injects all faults, or the named ones, with all repeats, and prints their
// outcomes and what they say of the invariants of docs/reliability.md.
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { invariantsTable, outcomeTable } from './faults-tables.mjs';
import { Progress } from './progress.mjs';
import { conclude, prepare, root, runTests, say } from './steps.mjs';

/** Seconds on two cores at rest. */
const ALL_TYPICAL_S = 600;
const ONE_TYPICAL_S = 60;

process.env.FARWATCH_FAULTS ??= 'all';
const named = process.argv.slice(2);
if (named.some((name) => !/^F\d+$/.test(name))) {
  throw new Error(`faults are named by their numbers, such as F9: ${named.join(' ')}`);
}
await prepare();
await ensureBundles({ root, say });
// A title begins with the fault's number; the names of its groups come first in what the pattern is matched
// with.
const pattern = named.length === 0 ? undefined : `(^|\\s)(${named.join('|')}): `;
const typicalS = named.length === 0 ? ALL_TYPICAL_S : ONE_TYPICAL_S * named.length;
const outcome = await runTests('faults', new Progress({ faults: typicalS }), { pattern });
const reports = outcome.tests.map(({ title, state, meta }) => {
  const fault = meta.fault ?? { id: /F\d+/.exec(title)?.[0] ?? '', done: title, outcome: '', invariants: {} };
  return { ...fault, verdict: state === 'passed' ? 'ok' : 'FAIL' };
});
for (const line of [...outcomeTable(reports), '', ...invariantsTable(reports)]) say(line);
conclude([outcome]);
