export interface Line {
  name: string;
  /** A colour of styles/charts.css, without its dashes. */
  color: string;
  /** At each of the times. Null breaks the line, undefined does not. */
  values: (number | null | undefined)[];
  /** What to tell in place of the values, as for lines that stand on each other. */
  told?: (number | null | undefined)[];
  fill?: boolean;
  width?: number;
}

export interface ChartData {
  /** Ascending, Unix ms. */
  times: number[];
  lines: Line[];
}
