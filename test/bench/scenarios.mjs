// `npm run bench:scenarios` injects the faults named by Automattic's uptime-bench into our own targets and scores an
// installation's alerts. `-- dns http-head` runs only scenarios with those name prefixes.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBundles } from '../../deploy/quickstart/bundle.mjs';
import { bundle } from '../bundle.mjs';
import { root } from '../root.mjs';
import { prepare, say } from '../steps.mjs';

await prepare();
await ensureBundles({ root, say });
// Inside node_modules, so that the bundle finds the packages.
const outdir = join(root, 'node_modules/.cache/farwatch-bench', String(process.pid));
await bundle({
  outdir, outExtension: { '.js': '.mjs' },
  entryPoints: {
    scenarios: 'test/bench/scenarios/main.ts',
    'silent-listener': 'test/bench/scenarios/targets/silent-listener.ts',
  },
  // Helpers locate the repository relative to their source file.
  define: { 'import.meta.dirname': JSON.stringify(join(root, 'test/helpers')) },
});
const { main } = await import(pathToFileURL(join(outdir, 'scenarios.mjs')).href);
process.exit(await main(process.argv.slice(2), { outdir, root }));
