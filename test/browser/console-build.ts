import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildConsole } from '../../deploy/console/build.mjs';

/** Builds the console from its sources as they are now; returns the folder, which the caller removes. */
export async function builtConsole(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'farwatch-console-'));
  await buildConsole({ root: resolve(import.meta.dirname, '../..'), outdir });
  return outdir;
}
