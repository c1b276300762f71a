import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from '../../deploy/bundle-options.mjs';

const ROOT = resolve(import.meta.dirname, '../..');

/** A folder with convert.mjs, as the build makes it. */
export async function converterBundles(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'farwatch-converters-'));
  await build({
    ...PROGRAM_OPTIONS, absWorkingDir: ROOT, outdir, outExtension: { '.js': '.mjs' },
    entryPoints: { convert: 'controller/moving/convert-worker.ts' }, sourcemap: false,
  });
  return outdir;
}
