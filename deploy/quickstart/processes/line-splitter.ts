import { StringDecoder } from 'node:string_decoder';

/** Longer lines are truncated: none of our processes writes them intentionally. */
const MAX_LINE_LENGTH = 65_536;

/** Splits chunks of bytes into lines without line ends; skips empty lines. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = (lines.pop() as string).slice(0, MAX_LINE_LENGTH);
    for (const line of lines) if (line.trim() !== '') this.#onLine(line.slice(0, MAX_LINE_LENGTH));
  }

  /** Emits the rest after the last line end. */
  end(): void {
    if (this.#rest.trim() !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }
}
