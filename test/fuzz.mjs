// `npm run fuzz -- [--seed N] [--requests N]`: sends a whole controller what it should take and what it should not; a fault is printed with the command that repeats it.
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache/farwatch-fuzz');
mkdirSync(cache, { recursive: true });
const outfile = join(cache, `fuzz-${process.pid}.mjs`);
const entryPoints = [join(root, 'test/fuzz/main.ts')];
await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external', sourcemap: 'inline', logLevel: 'warning' });
try {
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(outfile, { force: true });
}
