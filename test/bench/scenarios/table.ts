import { outcomeOf, type Score } from './score.ts';

/** The scores as lines of text, ending with a summary. */
export function table(scores: readonly Score[]): string {
  const rows = scores.map((each) => [
    each.name,
    each.detectedAfterMs === null ? 'missed' : `${(each.detectedAfterMs / 1000).toFixed(1)} s`,
    each.isClassified ? each.got : `${each.got}, expected ${each.expected}`,
    each.falseAlarms.join('; ') || 'none',
    outcomeOf(each),
  ]);
  const all = [['scenario', 'detected after', 'classification', 'false alarms', 'verdict'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] as string).length)));
  const lines = all.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
  return `${[...lines, '', summary(scores)].join('\n')}\n`;
}

function summary(scores: readonly Score[]): string {
  const count = (by: (each: Score) => boolean): number => scores.filter(by).length;
  const falseAlarms = scores.reduce((sum, each) => sum + each.falseAlarms.length, 0);
  return `${scores.length} scenarios: ${count((each) => each.detectedAfterMs !== null)} detected, `
    + `${count((each) => each.isClassified)} classified right, ${falseAlarms} false alarms, `
    + `${count((each) => each.isResolved)} resolved, ${count((each) => outcomeOf(each) === 'right')} right`;
}
