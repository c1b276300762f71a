/** Column title → cell of a row. */
export type Columns<Row> = Record<string, (row: Row) => string | number | null | undefined>;

/** How a table fits into a terminal that is too narrow for it. Without a terminal, nothing is left out. */
export interface Narrow {
  /** Columns whose cells are cut. */
  cut: readonly string[];
  /** Columns that are left out where cutting is not enough, the first one first. */
  omit: readonly string[];
}

interface Column {
  title: string;
  cells: string[];
  width: number;
}

const SEPARATOR = '  ';
/** Of a column that is cut. */
const MIN_WIDTH = 16;
const WIDE = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303f\uff01-\uff60])/u;
const segmenter = new Intl.Segmenter();

/** What a command prints on standard output: for people, or with `--json` for programs. */
export class Output {
  readonly #stream: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** Text that ends with a line end. */
  text(text: string): void {
    this.#stream.write(text);
  }

  line(text: string): void {
    this.text(`${text}\n`);
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value, null, 2));
  }

  /** Columns as wide as their widest cell; `empty` stands for a table without rows. */
  table<Row>(
    rows: readonly Row[], columns: Columns<Row>, empty: string, narrow: Narrow = { cut: [], omit: [] },
  ): void {
    if (rows.length === 0) return this.line(empty);
    const all = Object.entries(columns).map(([title, cell]): Column => {
      const cells = [title, ...rows.map((row) => printable(cell(row)))];
      return { title, cells, width: Math.max(...cells.map(widthOf)) };
    });
    const { isTTY, columns: terminalWidth = Infinity } = this.#stream;
    const fitting = isTTY ? fitted(all, narrow, terminalWidth) : all;
    for (let row = 0; row <= rows.length; row += 1) {
      const cells = fitting.map((column) => padded(column.cells[row] as string, column.width));
      this.line(cells.join(SEPARATOR).trimEnd());
    }
  }
}

/** Names come from users, so they must not control the terminal. */
export function printable(cell: string | number | null | undefined): string {
  // eslint-disable-next-line no-control-regex
  return String(cell ?? '–').replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ');
}

/** The text, or as much of it as fits into so many cells of a terminal. */
export function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [start, used] = ['', 0];
  for (const { segment } of segmenter.segment(text)) {
    used += widthOfCharacter(segment);
    // The last cell is for the ellipsis.
    if (used >= width) break;
    start += segment;
  }
  return `${start}…`;
}

function fitted(columns: readonly Column[], { cut, omit }: Narrow, limit: number): Column[] {
  let shown = columns.map((column) => ({ ...column }));
  const excess = () =>
    shown.reduce((sum, { width }) => sum + width + SEPARATOR.length, -SEPARATOR.length) - limit;
  const spareOf = ({ title, width }: Column) => (cut.includes(title) ? Math.max(0, width - MIN_WIDTH) : 0);
  for (const title of omit) {
    if (excess() <= shown.reduce((sum, column) => sum + spareOf(column), 0)) break;
    shown = shown.filter((column) => column.title !== title);
  }
  for (let left = excess(); left > 0; left -= 1) {
    const [widest] =
      shown.filter((column) => spareOf(column) > 0).sort((one, other) => other.width - one.width);
    if (widest === undefined) break;
    widest.width -= 1;
  }
  return shown;
}

function padded(text: string, width: number): string {
  const cell = shortened(text, width);
  return cell + ' '.repeat(width - widthOf(cell));
}

function widthOf(text: string): number {
  // Segmenting takes long for thousands of rows.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...segmenter.segment(text)].reduce((sum, { segment }) => sum + widthOfCharacter(segment), 0);
}

function widthOfCharacter(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}
