// Builds one bundle per process: `node build.mjs ROOT DIRECTORY`. Runs as a separate process: the builder
// would stay in the launcher's memory, and its helper process would wake fifty times a second.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from '../bundle-options.mjs';
import { buildConsole } from '../console/build.mjs';

/** Bundle name → entry point. */
const ENTRY_POINTS = {
  controller: 'controller/main.ts',
  probe: 'probe/main.ts',
  'embedded-mongo': 'deploy/embedded/mongo/main.ts',
  convert: 'controller/moving/convert-worker.ts',
};

const [absWorkingDir, outdir] = process.argv.slice(2);
const OPTIONS = {
  absWorkingDir,
  outdir,
  outExtension: { '.js': '.mjs' },
  ...PROGRAM_OPTIONS,
  minifyWhitespace: true,
  lineLimit: 120,
  loader: { '.html': 'text', '.css': 'text', '.svg': 'text' },
};
await build({ ...OPTIONS, entryPoints: ENTRY_POINTS });
// In parts: a command loads no code of the others.
await build({
  ...OPTIONS, entryPoints: { command: 'deploy/command/main.ts' }, splitting: true, chunkNames: 'command-[name]-[hash]',
});
// What esbuild leaves: regular expressions, comments and tagged templates.
for (const name of readdirSync(outdir).filter((each) => each.endsWith('.mjs'))) {
  const text = readFileSync(join(outdir, name), 'utf8');
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) writeFileSync(join(outdir, name), escaped);
}
await buildConsole({ root: absWorkingDir, outdir: join(outdir, 'console') });
