const INVARIANTS = {
  I1: 'lost', I2: 'doubled', I3: 'unexplained', I4: 'incidents', I5: 'alerts', I6: 'wrong uptimes',
  I7: 'left', I8: 'died',
};
const UNCOUNTED = '–';

export function outcomeTable(reports) {
  const lines = reports.map(({ id, status, done, outcome }) => [id, status, done, outcome]);
  return aligned([['fault', '', 'what was done', 'counted outcome'], ...lines]);
}

export function invariantsTable(reports) {
  const names = Object.keys(INVARIANTS);
  const lines = reports.map(({ id, status, invariants }) =>
    [id, status, ...names.map((name) => formatCount(invariants[name]))]);
  const sums = names.map((name) => formatCount(sumOf(reports.flatMap(({ invariants }) => invariants[name] ?? []))));
  return [
    ...aligned([
      ['fault', '', ...names.map((name) => `${name} ${INVARIANTS[name]}`)], ...lines, ['all', '', ...sums],
    ]),
    `${UNCOUNTED}: not counted, because nothing of this fault shows it. +n: n alerts came a second time.`,
  ];
}

function formatCount(count) {
  if (!count) return UNCOUNTED;
  const { counted, of, repeated = 0 } = count;
  return `${counted}${of === undefined ? '' : ` of ${of}`}${repeated > 0 ? ` +${repeated}` : ''}`;
}

function sumOf(counts) {
  if (counts.length === 0) return null;
  const sum = (key) => counts.reduce((total, count) => total + (count[key] ?? 0), 0);
  const isShare = counts.some(({ of }) => of !== undefined);
  return { counted: sum('counted'), repeated: sum('repeated'), ...(isShare ? { of: sum('of') } : {}) };
}

/** Lines of a table whose columns are padded to one width. */
export function aligned(rows) {
  const last = rows[0].length - 1;
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row.map((text, column) => (column === last ? text : text.padEnd(widths[column]))).join('  ').trimEnd());
}
