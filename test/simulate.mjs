// `npm run simulate -- --seeds N [--seed S]`: runs the deterministic simulation of the ingest; a seed that fails is printed and reproduces.
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache/farwatch-simulation');
mkdirSync(cache, { recursive: true });
const outfile = join(cache, `simulation-${process.pid}.mjs`);
const entryPoints = [join(root, 'test/simulation/main.ts')];
await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external', sourcemap: 'inline', logLevel: 'warning' });
try {
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(outfile, { force: true });
}
