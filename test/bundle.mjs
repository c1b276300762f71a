import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './steps.mjs';

/** Outside of node_modules, what is bundled would not find the packages. */
const CACHE = join(root, 'node_modules/.cache');

/** Bundles as the product is; the options of esbuild say what and where to. */
export async function bundle(options) {
  // Not before it is called: `prepare` may just have installed it.
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root, bundle: true, platform: 'node', target: 'node20.19', format: 'esm',
    packages: 'external', logLevel: 'warning', ...options,
  });
}

/**
 * One entry point, as a path in the repository, bundled for this process; returns the file, which the caller
 * removes.
 */
export async function bundleFile(entry, options = {}) {
  const outfile = join(CACHE, 'farwatch-test', `${process.pid}-${entry.replaceAll(/\W/g, '-')}.mjs`);
  await bundle({ entryPoints: [entry], outfile, ...options });
  return outfile;
}

/** Bundles one entry point and imports it; returns what it exports. */
export async function runBundled(entry) {
  const file = await bundleFile(entry, { sourcemap: 'inline' });
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
  }
}
