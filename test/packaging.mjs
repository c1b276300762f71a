// `npm run packaging` packs and installs the npm package, makes a release, builds the image and runs it with Podman,
// and runs a controller and a probe under systemd. Requires root; installs missing Debian packages.
import process from 'node:process';
import { ensureBundles } from '../deploy/quickstart/bundle.mjs';
import { Progress } from './progress.mjs';
import { root } from './root.mjs';
import { conclude, prepare, runTests, say } from './steps.mjs';

/** Seconds on an idle machine with two cores, with base images from an earlier run. */
const TYPICAL_S = 720;

if (process.platform !== 'linux' || process.getuid() !== 0) {
  process.stderr.write('npm run packaging needs root on Linux: it runs containers, and a systemd in one of them\n');
  process.exit(1);
}
// The containers are removed when this process exits.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
await prepare();
await ensureBundles({ root, say });
conclude([await runTests('packaging', new Progress({ packaging: TYPICAL_S }))]);
