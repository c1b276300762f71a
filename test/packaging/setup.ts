import { takeMachineLock } from '../../deploy/quickstart/machine-lock.mjs';
import { ensureDebianPackages } from '../services/packages.ts';
import { ensureBases } from './bases.ts';
import { CACHE, configurePodman, removeContainers, removeContainersSync } from './podman.ts';

/** Prepares Podman for all test files; the returned function cleans up after them. */
export default async function setUp(): Promise<() => Promise<void>> {
  try {
    return await prepare();
  } catch (error) {
    throw withCauses(error);
  }
}

async function prepare(): Promise<() => Promise<void>> {
  await ensureDebianPackages('podman', 'runc');
  configurePodman();
  const lock = await takeMachineLock('packaging', CACHE);
  if (!lock) throw new Error('npm run packaging already runs in this checkout');
  // Left over from a killed run.
  await removeContainers();
  process.once('exit', removeContainersSync);
  process.stdout.write(`Base images: ${await ensureBases()}\n`);
  return async () => {
    await removeContainers();
    process.off('exit', removeContainersSync);
    await lock.release();
  };
}

/** The error with its causes but without a stack: vitest may fail on the stack of a global setup's error. */
function withCauses(error: unknown): Error {
  const messages: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) messages.push(each.message);
  const described = new Error(messages.join('\n'));
  described.stack = '';
  return described;
}
