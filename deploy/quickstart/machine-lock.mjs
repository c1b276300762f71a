import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

const RETRY_MS = 200;

/**
 * Takes a lock that one process of this machine can hold, or returns null when another has it. It is an abstract
 * Unix socket: nothing on disk, and the kernel lets go of it however its holder ends. Elsewhere than on Linux there
 * is no such thing and the lock is always granted.
 *
 * @param {string} name
 * @returns {Promise<{ release: () => Promise<void> } | null>}
 */
export function takeMachineLock(name) {
  if (process.platform !== 'linux') return Promise.resolve({ release: async () => {} });
  const key = createHash('sha256').update(name).digest('hex').slice(0, 40);
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(`\0farwatch-${key}`, () => {
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

/**
 * Runs `work` while no other process of this machine runs its own under the same name; waits for its turn.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withMachineLock(name, work) {
  let lock = await takeMachineLock(name);
  while (!lock) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    lock = await takeMachineLock(name);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
