import { takeMachineLock } from '../../deploy/quickstart/machine-lock.mjs';
import { ensureDebianPackages } from '../services/packages.ts';
import { ensureBases } from './bases.ts';
import { CACHE, configurePodman, removeContainers, removeContainersAtOnce } from './podman.ts';

/** Prepares Podman for all files of tests; what it returns is called after them. */
export default async function setUp(): Promise<() => Promise<void>> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Error('npm run packaging needs root on Linux: it runs containers, and one of them a systemd');
  }
  await ensureDebianPackages('podman', 'runc');
  configurePodman();
  const lock = await takeMachineLock('packaging', CACHE);
  if (!lock) throw new Error('npm run packaging already runs in this checkout');
  // What a run has left that was killed.
  await removeContainers();
  process.once('exit', removeContainersAtOnce);
  process.stdout.write(`Base images: ${await ensureBases()}\n`);
  return async () => {
    await removeContainers();
    process.off('exit', removeContainersAtOnce);
    await lock.release();
  };
}
