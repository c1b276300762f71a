import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const MAX_FILE_BYTES = 10_485_760;

/** A log of at most two files of 10 MB: a full one replaces the older one. */
export class LogFile {
  readonly #path: string;
  #file: number;
  #size: number;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#file).size;
  }

  /** A full disk must not end the installation, so lines that can't be written are dropped. */
  write(line: string): void {
    try {
      if (this.#size > MAX_FILE_BYTES) this.#rotate();
      this.#size += writeSync(this.#file, `${line}\n`);
    } catch {
      // Losing log lines is the least harmful effect.
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    renameSync(this.#path, `${this.#path}.1`);
    closeSync(this.#file);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }
}
