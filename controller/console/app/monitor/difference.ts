export interface Part {
  text: string;
  /** Only one of the two texts contains it. */
  isUnique: boolean;
}

/** Longer texts are marked from their first to their last difference. */
const MAX_TOKENS = 600;

const tokenize = (text: string) => text.match(/\s+|[\p{L}\p{N}_-]+|[^\s\p{L}\p{N}_-]/gu) ?? [];

/** Splits two texts into parts and marks what only one contains: as few words as possible. */
export function difference(one: string, other: string): [Part[], Part[]] {
  const [mine, theirs] = [tokenize(one), tokenize(other)];
  const minLength = Math.min(mine.length, theirs.length);
  let start = 0;
  while (start < minLength && mine[start] === theirs[start]) start += 1;
  let end = 0;
  while (end < minLength - start && mine.at(-1 - end) === theirs.at(-1 - end)) end += 1;
  const middles = [mine.slice(start, mine.length - end), theirs.slice(start, theirs.length - end)] as const;
  const isLong = Math.max(...middles.map(({ length }) => length)) > MAX_TOKENS;
  const marks = isLong ? middles.map((tokens) => tokens.map(() => true)) : marksOf(...middles);
  return [mine, theirs].map((tokens, side) => {
    const marked = marks[side] as boolean[];
    return partsOf(tokens, tokens.map((_, at) => marked[at - start] ?? false));
  }) as [Part[], Part[]];
}

/** Marks the words that are not in a longest common subsequence. */
function marksOf(mine: readonly string[], theirs: readonly string[]): [boolean[], boolean[]] {
  const width = theirs.length + 1;
  const lengths = new Uint16Array((mine.length + 1) * width);
  for (let row = mine.length - 1; row >= 0; row -= 1) {
    for (let column = theirs.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      lengths[at] = mine[row] === theirs[column]
        ? (lengths[at + width + 1] as number) + 1
        : Math.max(lengths[at + width] as number, lengths[at + 1] as number);
    }
  }
  const marks: [boolean[], boolean[]] = [mine.map(() => true), theirs.map(() => true)];
  for (let [row, column] = [0, 0]; row < mine.length && column < theirs.length;) {
    const at = row * width + column;
    if (mine[row] === theirs[column]) {
      marks[0][row] = false;
      marks[1][column] = false;
      [row, column] = [row + 1, column + 1];
    } else if ((lengths[at + width] as number) >= (lengths[at + 1] as number)) row += 1;
    else column += 1;
  }
  return marks;
}

/** Joins adjacent tokens with the same mark. */
function partsOf(tokens: readonly string[], marks: readonly boolean[]): Part[] {
  const parts: Part[] = [];
  for (const [at, text] of tokens.entries()) {
    const isUnique = marks[at] as boolean;
    const last = parts.at(-1);
    if (last?.isUnique === isUnique) last.text += text;
    else parts.push({ text, isUnique });
  }
  return parts;
}
