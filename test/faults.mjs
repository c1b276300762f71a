// `npm run faults [-- F1 F9]`: the faults of the matrix, all of them or those that are named, and a table of what each came to.
import { prepare, runTests, say, conclude } from './steps.mjs';

process.env.FARWATCH_FAULTS ??= 'all';
await prepare();
const named = process.argv.slice(2);
if (named.some((name) => !/^F\d+$/.test(name))) throw new Error(`faults are named by their numbers, as F9: ${named.join(' ')}`);
// Their titles begin with their numbers; in what is matched that of a group they are in comes first.
const files = named.length === 0 ? [] : ['-t', `(^|\\s)(${named.join('|')}): `];
const outcome = await runTests('faults', { files, onReport: printTable });
conclude([outcome]);

function printTable({ testResults }) {
  const lines = testResults.flatMap((file) => file.assertionResults).filter((test) => ['passed', 'failed'].includes(test.status)).map((test) => {
    const fault = test.meta?.fault ?? { id: '', done: test.title, outcome: '' };
    return [fault.id, test.status === 'passed' ? 'ok' : 'FAIL', fault.done, fault.outcome];
  });
  const rows = [['fault', '', 'what was done', 'counted outcome'], ...lines];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) say(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
}
