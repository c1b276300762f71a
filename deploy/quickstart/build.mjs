// Builds one bundle per process: `node build.mjs ROOT DIRECTORY`. Runs as a separate process: the builder
// would stay in the launcher's memory, and its helper process would wake fifty times a second.
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from '../console/build.mjs';

/** Bundle name → entry point. */
const ENTRY_POINTS = {
  controller: 'controller/main.ts',
  probe: 'probe/main.ts',
  'embedded-mongo': 'deploy/embedded/mongo/main.ts',
  quickstart: 'deploy/quickstart/main.ts',
};

const [absWorkingDir, outdir] = process.argv.slice(2);
await build({
  absWorkingDir,
  entryPoints: ENTRY_POINTS,
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  packages: 'external',
  sourcemap: true,
  sourcesContent: false,
  // Node stores a module's text with two bytes per character unless all are ASCII.
  charset: 'ascii',
  minifyWhitespace: true,
  lineLimit: 120,
  loader: { '.html': 'text', '.css': 'text', '.svg': 'text' },
  logLevel: 'error',
});
await buildConsole({ root: absWorkingDir, outdir: join(outdir, 'console') });
