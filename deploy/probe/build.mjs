// `node deploy/probe/build.mjs DIRECTORY` puts everything a probe needs besides Node.js into a directory, for
// a service or an image. Run it in a checkout with installed packages; includes raw-socket if it was built.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from '../bundle-options.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const target = process.argv[2];
if (target === undefined) {
  process.stderr.write('usage: node deploy/probe/build.mjs DIRECTORY\n');
  process.exit(2);
}
const directory = resolve(target);
await build({
  absWorkingDir: root,
  entryPoints: ['probe/main.ts'],
  outfile: join(directory, 'probe.mjs'),
  ...PROGRAM_OPTIONS,
});
const addon = 'node_modules/raw-socket';
const binary = 'build/Release/raw.node';
rmSync(join(directory, addon), { recursive: true, force: true });
if (existsSync(join(root, addon, binary))) {
  mkdirSync(join(directory, addon, dirname(binary)), { recursive: true });
  for (const file of ['package.json', 'index.js', binary]) cpSync(join(root, addon, file), join(directory, addon, file));
} else {
  process.stderr.write('raw-socket is not built: this probe will ping with the ping of its system\n');
}
