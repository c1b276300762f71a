// `npm run bench` runs all metrics. `-- 5 9` runs only those; `-- --quick` runs shorter rounds, which are not a valid
// measurement.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBundles } from '../../deploy/quickstart/bundle.mjs';
import { bundle } from '../bundle.mjs';
import { root } from '../root.mjs';
import { prepare, say } from '../steps.mjs';

await prepare();
await ensureBundles({ root, say });
// Inside node_modules, so that worker processes find the packages.
const outdir = join(root, 'node_modules/.cache/farwatch-bench', String(process.pid));
await bundle({
  outdir, outExtension: { '.js': '.mjs' },
  entryPoints: {
    bench: 'test/bench/main.ts', worker: 'test/bench/worker.ts', target: 'test/bench/target-server.ts',
    receiver: 'test/bench/receiver-server.ts', probe: 'probe/main.ts',
    'bare-page': 'test/bench/bare-page-server.ts', 'page-readers': 'test/bench/reader-process.ts',
  },
  // Helpers locate the repository relative to their source file.
  define: { 'import.meta.dirname': JSON.stringify(join(root, 'test/helpers')) },
});
const { main } = await import(pathToFileURL(join(outdir, 'bench.mjs')).href);
process.exit(await main(process.argv.slice(2), { outdir, root }));
