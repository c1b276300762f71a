import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildConsole } from '../../deploy/console/build.mjs';
import { root } from '../root.mjs';

/** Builds the console from its sources as they are now; returns the folder, which the caller removes. */
export async function builtConsole(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'farwatch-console-'));
  await buildConsole({ root, outdir });
  return outdir;
}
