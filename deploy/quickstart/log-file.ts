import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

const LARGEST_BYTES = 10_485_760;
/** Beyond this the disk is too slow; further lines are dropped until it has caught up. */
const LARGEST_BACKLOG_BYTES = 4_194_304;

/** A log of at most two files of 10 MB: when one is full it takes the place of the older one. */
export class LogFile {
  readonly #path: string;
  #stream: WriteStream;
  #size: number;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#path = path;
    this.#size = sizeOf(path);
    this.#stream = this.#open();
  }

  write(line: string): void {
    if (this.#stream.writableLength > LARGEST_BACKLOG_BYTES) return;
    if (this.#size > LARGEST_BYTES) this.#rotate();
    this.#size += Buffer.byteLength(line) + 1;
    this.#stream.write(`${line}\n`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(() => resolve()));
  }

  #rotate(): void {
    this.#stream.end();
    renameSync(this.#path, `${this.#path}.1`);
    this.#size = 0;
    this.#stream = this.#open();
  }

  #open(): WriteStream {
    // A full disk must not end the installation; the log is the first thing to do without.
    return createWriteStream(this.#path, { flags: 'a', mode: 0o600 }).on('error', () => {});
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
