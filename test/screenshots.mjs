// `npm run screenshots [-- FOLDER]`: pictures of every page of the console, light, dark and as on a phone, in
// `screenshots/` or the folder that is named.
import { resolve } from 'node:path';
import { runBundled } from './bundle.mjs';
import { prepare, say } from './steps.mjs';

await prepare();
const folder = resolve(process.argv[2] ?? 'screenshots');
const { takeScreenshots } = await runBundled('test/browser/screenshots.ts');
const count = await takeScreenshots(folder, say);
say(`${count} pictures in ${folder}`);
process.exit(0);
