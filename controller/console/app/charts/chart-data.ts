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

/** Places of values with no neighbour to draw a line to: null breaks a line, undefined does not. */
export function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const known = Array.from(values, (value, at) => ({ value, at })).filter(({ value }) => value !== undefined);
  const isGap = (place: number) => (known[place]?.value ?? null) === null;
  return known.filter((_one, place) => !isGap(place) && isGap(place - 1) && isGap(place + 1)).map(({ at }) => at);
}
