import { median } from './cpu.ts';

/** One line of the report: our figure and a peer's, from the same run. */
export interface Comparison {
  metric: string;
  what: string;
  /** One figure per round. */
  ours: number[];
  theirs: number[] | null;
  unit: string;
  /** Bounds of our figure divided by the peer's. */
  floor?: { max?: number; min?: number };
  /** Bounds of our figure alone, for metrics without a peer. */
  limit?: { max?: number; min?: number };
  note?: string;
}

/** Prints a line. Returns whether it is within its bounds, or null if it has none. */
export function print(comparison: Comparison): boolean | null {
  const { metric, what, ours, theirs, unit, floor, limit, note } = comparison;
  const ourMedian = median(ours);
  const parts = [`${metric.padEnd(4)}${what.padEnd(58)}${number(ourMedian)} ${unit}${spread(ours)}`];
  let hasPassed: boolean | null = null;
  if (theirs === null) parts.push(limit ? '' : 'not compared');
  else {
    const ratio = median(ours.map((value, round) => value / (theirs[round] ?? median(theirs))));
    parts.push(`against ${number(median(theirs))}${spread(theirs)}: ratio ${number(ratio)}`);
    if (floor) {
      hasPassed = (floor.max === undefined || ratio <= floor.max) &&
        (floor.min === undefined || ratio >= floor.min);
    }
    if (floor) parts.push(`floor ${bounds(floor)}`);
  }
  if (limit) {
    const isWithinLimit = (limit.max === undefined || ourMedian <= limit.max) &&
      (limit.min === undefined || ourMedian >= limit.min);
    hasPassed = hasPassed === null ? isWithinLimit : hasPassed && isWithinLimit;
    parts.push(`limit ${bounds(limit)} ${unit}`);
  }
  if (note) parts.push(`(${note})`);
  process.stdout.write(`${hasPassed === false ? 'FAIL' : hasPassed === null ? '    ' : 'ok  '} ${parts.filter(Boolean)
    .join('  ')}\n`);
  return hasPassed;
}

function bounds({ min, max }: { min?: number; max?: number }): string {
  return [min === undefined ? [] : `≥ ${min}`, max === undefined ? [] : `≤ ${max}`].flat().join(' and ');
}

/** Three significant digits. */
function number(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '?';
}

function spread(values: number[]): string {
  return values.length < 2 ? '' : ` [${number(Math.min(...values))}–${number(Math.max(...values))}]`;
}
