import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildConsole } from '../../deploy/console/build.mjs';
import { bundle } from '../bundle.mjs';
import { root } from '../root.mjs';

/** Builds the console from its sources as they are now; returns the folder, which the caller removes. */
export async function builtConsole(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'farwatch-console-'));
  await buildConsole({ root, outdir });
  return outdir;
}

/** A controller that serves the console: its bundle, in a folder that the caller removes. */
export async function builtController(): Promise<{ dir: string; program: string }> {
  // Inside node_modules, so that it finds the packages.
  const cache = join(root, 'node_modules/.cache/farwatch-test');
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, 'controller-'));
  const program = join(dir, 'main.mjs');
  await Promise.all([
    bundle({ entryPoints: ['controller/main.ts'], outfile: program }),
    buildConsole({ root, outdir: join(dir, 'console') }),
  ]);
  return { dir, program };
}
