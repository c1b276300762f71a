// `npm run faults [-- F1 F9]`: injects all faults, or the named ones, with all repeats, and prints a table of
// their outcomes.
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
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
printTable(outcome.tests);
conclude([outcome]);

function printTable(tests) {
  const lines = tests.map(({ title, state, meta }) => {
    const fault = meta.fault ?? { id: '', done: title, outcome: '' };
    return [fault.id, state === 'passed' ? 'ok' : 'FAIL', fault.done, fault.outcome];
  });
  const rows = [['fault', '', 'what was done', 'counted outcome'], ...lines];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    say(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
  }
}
