// `npm run diagnosis` breaks a network of three regions in 60 ways, as root on Linux, and prints how each outage is
// diagnosed: right, unknown or wrong.
import { aligned } from './faults-tables.mjs';
import { Progress } from './progress.mjs';
import { conclude, prepare, runTests, say } from './steps.mjs';

const TYPICAL_S = 240;
/** Of 60; a diagnosis that is always unknown would be of no use. */
const MIN_RIGHT = 45;

process.env.FARWATCH_OUTAGES = 'all';
await prepare();
const outcome = await runTests('diagnosis', new Progress({ diagnosis: TYPICAL_S }));
const reports = outcome.tests.flatMap(({ meta }) => meta.outage ?? []);
for (const line of [...aligned(reports.map(lineOf)), '', ...countsTable()]) say(line);
const right = reports.filter((report) => judge(report) === 'right').length;
if (reports.length > 0 && right < MIN_RIGHT) {
  say(`only ${right} outages are diagnosed right; there must be ${MIN_RIGHT}`);
  outcome.failed += 1;
}
conclude([outcome]);

function judge({ cause, found }) {
  return found === cause ? 'right' : found === 'unknown' ? 'unknown' : 'WRONG';
}

function lineOf(report) {
  return [judge(report), report.cause, report.found, `${report.kind}: ${report.name}`, report.summary];
}

function countsTable() {
  const kinds = [...new Set(reports.map(({ kind }) => kind))];
  const row = (title, group) => {
    const count = (name) => String(group.filter((report) => judge(report) === name).length);
    return [title, String(group.length), count('right'), count('unknown'), count('WRONG')];
  };
  return aligned([
    ['kind', 'outages', 'right', 'unknown', 'wrong'],
    ...kinds.map((kind) => row(kind, reports.filter((report) => report.kind === kind))), row('all', reports),
  ]);
}
