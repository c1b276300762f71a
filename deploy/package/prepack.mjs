// Before `npm pack`: builds `dist` and puts the package's package.json in place of ours. If npm is killed
// while packing, `git checkout package.json` brings ours back.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureBundles } from '../quickstart/bundle.mjs';
import { ensurePackages } from '../quickstart/install.mjs';
import { licenseTexts } from './licenses.mjs';
import { swapManifest } from './manifest.mjs';

/** Read at run time, so bundles can't contain them. Without maps and the builds for other uses. */
const SHIPPED_FILES = {
  yaml: ['package.json', 'LICENSE', 'dist'],
  'swagger-ui-dist': ['package.json', 'LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui.css'],
};
const isShipped = (path) => !path.endsWith('.d.ts');
const ENTRY = ['farwatch.mjs', 'node-version.mjs'];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const say = (line) => process.stderr.write(`${line}\n`);
const dist = join(root, 'dist');

await ensurePackages({ root, production: true, say });
const bundles = await ensureBundles({ root, say });
rmSync(dist, { recursive: true, force: true });
cpSync(bundles, dist, { recursive: true, filter: (path) => path !== join(bundles, 'held-by') });
for (const file of ENTRY) cpSync(join(root, 'deploy/command', file), join(dist, file));
for (const [name, files] of Object.entries(SHIPPED_FILES)) {
  const target = join(dist, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  for (const file of files) {
    cpSync(join(root, 'node_modules', name, file), join(target, file), { recursive: true, filter: isShipped });
  }
}
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licenseTexts(root));
swapManifest(root);
