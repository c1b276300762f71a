import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDebianPackages } from '../services/packages.ts';

const LIBRARIES = ['x86_64', 'aarch64'].map((cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketimeMT.so.1`);

/** The library that changes a process's clock, installed if needed; null if it is unavailable. */
export async function fakeTimeLibrary(): Promise<string | null> {
  const find = () => LIBRARIES.find((path) => existsSync(path)) ?? null;
  if (process.platform !== 'linux') return null;
  return find() ?? ensureDebianPackages('libfaketime').then(find, () => null);
}

/** The wall clock of a process. Its monotonic clock stays correct. */
export class FakeTime {
  readonly #dir = mkdtempSync(join(tmpdir(), 'farwatch-time-'));
  readonly env: Record<string, string>;

  constructor(library: string, offsetSeconds = 0) {
    this.env = {
      LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: this.#file, FAKETIME_CACHE_DURATION: '1',
      DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    this.set(offsetSeconds);
  }

  /** Makes the clock jump to this offset from the true time; the process sees it within a second. */
  set(offsetSeconds: number): void {
    writeFileSync(`${this.#file}.new`, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** To be called when the process has ended. */
  remove(): void {
    rmSync(this.#dir, { recursive: true });
  }

  get #file(): string {
    return join(this.#dir, 'offset');
  }
}
