/** Column title → cell of a row. */
export type Columns<Row> = Record<string, (row: Row) => string | number | null | undefined>;

/** What a command prints on standard output: for people, or with `--json` for programs. */
export class Output {
  readonly #stream: NodeJS.WritableStream;

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
  table<Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): void {
    if (rows.length === 0) return this.line(empty);
    const cells = rows.map((row) => Object.values(columns).map((cell) => printable(cell(row))));
    const lines = [Object.keys(columns), ...cells];
    const widthOf = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0));
    const widths = Object.keys(columns).map((_, column) => widthOf(column));
    const padded = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
    for (const line of lines) this.line(line.map(padded).join('  ').trimEnd());
  }
}

/** Names come from users, so they must not control the terminal. */
export function printable(cell: string | number | null | undefined): string {
  // eslint-disable-next-line no-control-regex
  return String(cell ?? '–').replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
