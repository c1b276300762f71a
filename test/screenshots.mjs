// `npm run screenshots [-- FOLDER]`: pictures of every page of the console, light, dark, as on a phone and in German, in
// `screenshots/` or the folder that is named.
import { join, resolve } from 'node:path';
import { runBundled } from './bundle.mjs';
import { root } from './root.mjs';
import { prepare, say } from './steps.mjs';

await prepare();
const folder = resolve(process.argv[2] ?? 'screenshots');
const { takeScreenshots } = await runBundled('test/browser/screenshots.ts');
const consoleDir = join(root, 'node_modules/.cache/farwatch-test/console');
// Imported after `prepare`, which may just have installed what it needs.
const { buildConsole } = await import('../deploy/console/build.mjs');
await buildConsole({ root, outdir: consoleDir });
const count = await takeScreenshots(consoleDir, folder, say);
say(`${count} pictures in ${folder}`);
process.exit(0);
