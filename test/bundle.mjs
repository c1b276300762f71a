import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROGRAM_OPTIONS } from '../deploy/bundle-options.mjs';
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { root } from './root.mjs';

/** Inside node_modules, so that bundles find the packages. */
const CACHE = join(root, 'node_modules/.cache');

/** Bundles as the product does, but without packages; `options` are those of esbuild. */
export async function bundle(options) {
  // Imported lazily, because `prepare` may just have installed it.
  const { build } = await import('esbuild');
  await build({ ...PROGRAM_OPTIONS, sourcemap: false, packages: 'external', absWorkingDir: root, ...options });
}

/**
 * Bundles one entry point, a path in the repository, for this process. Returns the file, which the caller must remove.
 */
export async function bundleFile(entry, options = {}) {
  const outfile = join(CACHE, 'farwatch-test', `${process.pid}-${entry.replaceAll(/\W/g, '-')}.mjs`);
  await bundle({ entryPoints: [entry], outfile, ...options });
  return outfile;
}

/** The product's own bundle of `controller`, `probe` or `embedded-mongo`. */
export async function programFile(name) {
  return join(await ensureBundles({ root, say: () => undefined }), `${name}.mjs`);
}

/**
 * Bundles an entry point, imports it and returns its exports. `import.meta.url` is a file in `test`, from which modules
 * find the checkout.
 */
export async function runBundled(entry) {
  const define = { 'import.meta.url': JSON.stringify(import.meta.url) };
  const file = await bundleFile(entry, { sourcemap: 'inline', define });
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
  }
}
