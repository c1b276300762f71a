// What `npm run faults` runs: the faults of the matrix, and a table of what each came to.
import { prepare, runTests, say, conclude } from './steps.mjs';

process.env.FARWATCH_FAULTS ??= 'all';
await prepare();
const outcome = await runTests('faults', { onReport: printTable });
conclude([outcome]);

function printTable({ testResults }) {
  const lines = testResults.flatMap((file) => file.assertionResults).map((test) => {
    const fault = test.meta?.fault ?? { id: '', done: test.title, outcome: '' };
    return [fault.id, test.status === 'passed' ? 'ok' : 'FAIL', fault.done, fault.outcome];
  });
  const rows = [['fault', '', 'what was done', 'counted outcome'], ...lines];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) say(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
}
