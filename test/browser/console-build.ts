import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '../../deploy/console/build.mjs';
import { bundle } from '../bundle.mjs';
import { root } from '../root.mjs';

/** A controller that serves the console: its bundle, in a folder that the caller removes. */
export async function buildController(): Promise<{ dir: string; program: string }> {
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
