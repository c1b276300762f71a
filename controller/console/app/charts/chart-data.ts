export interface Line {
  name: string;
  /** A colour of styles/charts.css, without its dashes. */
  color: string;
  /** At each of the times. Null breaks the line, undefined does not. */
  values: (number | null | undefined)[];
  /** What to tell in place of the values, as for lines that stand on each other. */
  displayValues?: (number | null | undefined)[];
  fill?: boolean;
  width?: number;
}

export interface ChartData {
  /** Ascending, Unix ms. */
  times: number[];
  lines: Line[];
}

/** Places of values with no neighbour to draw a line to: null breaks a line, undefined does not. */
export function isolatedPoints(values: ArrayLike<number | null | undefined>): number[] {
  const defined = Array.from(values, (value, at) => ({ value, at })).filter(({ value }) => value !== undefined);
  const isGap = (position: number) => (defined[position]?.value ?? null) === null;
  return defined.filter((_one, position) => !isGap(position) && isGap(position - 1) && isGap(position + 1)).map(({ at }) => at);
}
