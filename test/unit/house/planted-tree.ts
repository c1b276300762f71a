import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const REPOSITORY = resolve(import.meta.dirname, '../../..');

/** A separate source tree under this repository's settings, to plant violations in. */
export interface PlantedTree {
  readonly root: string;
  remove(): void;
}

/** Writes `files` (path → text) beside copies of the named settings. */
export function plantTree(files: Record<string, string>, settings: readonly string[]): PlantedTree {
  const root = mkdtempSync(join(tmpdir(), 'farwatch-house-'));
  for (const name of [...settings, 'package.json', 'tsconfig.json']) {
    copyFileSync(join(REPOSITORY, name), join(root, name));
  }
  symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'), 'dir');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
