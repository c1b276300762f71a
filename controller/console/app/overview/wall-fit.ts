/** Minimum width of a tile with a name; narrower ones are squares. All sizes are in px. */
const MIN_NAMED_WIDTH = 60;
/** Widths of tiles, largest first. */
const WIDTHS = [...descending(480, MIN_NAMED_WIDTH, 2), ...descending(48, 4, 1)];
/** Used if the window scrolls. */
const SCROLLING_WIDTH = 145;

/** Sizes of everything on the wall. */
export interface Sizes {
  width: number;
  height: number;
  /** Between tiles, and between panels. */
  gap: number;
  between: number;
  heading: number;
  isSquare: boolean;
}

interface Room {
  width: number;
  /** Null: unlimited. */
  height: number | null;
}

/** The largest sizes with which panels of so many tiles fit into the room; the smallest if none do. */
export function fittingSizes(counts: readonly number[], hasHeadings: boolean, room: Room): Sizes {
  const { height } = room;
  if (height === null) return sizesOf(SCROLLING_WIDTH, hasHeadings);
  let [low, high] = [0, WIDTHS.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (heightOf(counts, sizesOf(WIDTHS[middle] ?? 0, hasHeadings), room.width) <= height) high = middle;
    else low = middle + 1;
  }
  return sizesOf(WIDTHS[low] ?? 0, hasHeadings);
}

function sizesOf(width: number, hasHeadings: boolean): Sizes {
  const isSquare = width < MIN_NAMED_WIDTH;
  const heading = isSquare ? 24 : Math.min(36, Math.max(18, Math.round(width * 0.17)));
  return {
    width, isSquare, height: isSquare ? width : Math.floor(width * 0.42), gap: Math.round(width * 0.025) + 1,
    between: isSquare ? 10 : Math.round(width * 0.08) + 6, heading: hasHeadings ? heading : 0,
  };
}

/** Height of the panels as the CSS lays them out: side by side if they fit, else below each other. */
export function heightOf(counts: readonly number[], { width, height, gap, between, heading }: Sizes, room: number): number {
  const maxColumns = Math.max(1, Math.floor((room + gap) / (width + gap)));
  let [total, right, highest] = [0, 0, 0];
  for (const count of counts) {
    const columns = Math.min(count, maxColumns);
    const own = { width: columns * (width + gap) - gap, height: heading + Math.ceil(count / columns) * (height + gap) - gap };
    if (right > 0 && right + between + own.width <= room) right += between + own.width;
    else {
      total += highest === 0 ? 0 : highest + between;
      [right, highest] = [own.width, 0];
    }
    highest = Math.max(highest, own.height);
  }
  return total + highest;
}

function descending(from: number, to: number, step: number): number[] {
  return Array.from({ length: (from - to) / step + 1 }, (_, at) => from - at * step);
}
