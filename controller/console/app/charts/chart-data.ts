export interface Line {
  name: string;
  /** A color of styles/charts.css, without its leading dashes. */
  color: string;
  /** One per time. Null breaks the line, undefined does not. */
  values: (number | null | undefined)[];
  /** Shown instead of the values, for example for stacked lines. */
  displayValues?: (number | null | undefined)[];
  fill?: boolean;
  width?: number;
}

export interface ChartData {
  /** Ascending, Unix ms. */
  times: number[];
  lines: Line[];
}

/** Indexes of values without a neighbor to draw a line to: null breaks a line, undefined does not. */
export function isolatedPoints(values: ArrayLike<number | null | undefined>): number[] {
  const defined = Array.from(values, (value, at) => ({ value, at })).filter(({ value }) => value !== undefined);
  const isGap = (position: number) => (defined[position]?.value ?? null) === null;
  return defined.filter((_one, position) => !isGap(position) && isGap(position - 1) && isGap(position + 1)).map(({ at }) => at);
}
