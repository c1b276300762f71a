// `npm run faults [-- F1 F9] [--long]` injects all faults, or the named ones, with all repeats, and prints the outcomes
// with counts for the invariants of docs/reliability.md. With `--long`, some outages last as long as real ones: up to
// an hour.
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { invariantsTable, outcomeTable } from './faults-tables.mjs';
import { Progress } from './progress.mjs';
import { root } from './root.mjs';
import { conclude, prepare, runTests, say } from './steps.mjs';

/** Seconds on an idle machine with two cores. */
const ALL_TYPICAL_S = 600;
const ONE_TYPICAL_S = 60;
/** Of the longest fault with `--long`; files run concurrently. */
const LONG_TYPICAL_S = 3600;

process.env.FARWATCH_FAULTS ??= 'all';
const { long: isLong, named } = readArguments(process.argv.slice(2));
if (isLong) process.env.FARWATCH_FAULTS_LONG = 'yes';
await prepare();
await ensureBundles({ root, say });
// A title starts with the fault's number; the pattern is matched against the names of its groups followed by the title.
const pattern = named.length === 0 ? undefined : `(^|\\s)(${named.join('|')}): `;
const shortS = named.length === 0 ? ALL_TYPICAL_S : ONE_TYPICAL_S * named.length;
const typicalS = isLong ? LONG_TYPICAL_S + shortS : shortS;
const outcome = await runTests('faults', new Progress({ faults: typicalS }), { pattern });
const reports = outcome.tests.map(({ title, state, meta }) => {
  const fault = meta.fault ?? { id: /F\d+/.exec(title)?.[0] ?? '', done: title, outcome: '', invariants: {} };
  return { ...fault, status: state === 'passed' ? 'ok' : 'FAIL' };
});
for (const line of [...outcomeTable(reports), '', ...invariantsTable(reports)]) say(line);
conclude([outcome]);

function readArguments(args) {
  const long = args.includes('--long');
  const named = args.filter((each) => each !== '--long');
  const unknown = named.filter((name) => !/^F\d+$/.test(name));
  if (unknown.length === 0) return { long, named };
  process.stderr.write(`faults are named by their numbers, such as F9, and --long is the only flag: ${unknown.join(' ')}\n`);
  process.exit(2);
}
