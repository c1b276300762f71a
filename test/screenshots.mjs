// `npm run screenshots [-- FOLDER]` takes screenshots of every console page, light, dark, phone-sized and in German, in
// `screenshots/` or the given folder.
import { join, resolve } from 'node:path';
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { runBundled } from './bundle.mjs';
import { root } from './root.mjs';
import { prepare, say } from './steps.mjs';

await prepare();
const folder = resolve(process.argv[2] ?? 'screenshots');
const { takeScreenshots } = await runBundled('test/browser/screenshots.ts');
const consoleDir = join(await ensureBundles({ root, say }), 'console');
const count = await takeScreenshots(consoleDir, folder, say);
say(`${count} pictures in ${folder}`);
process.exit(0);
