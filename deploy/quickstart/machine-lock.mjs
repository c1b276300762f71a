import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';

const RETRY_MS = 200;

/**
 * Takes the lock of a directory for one purpose, which one process of this machine can hold, or returns null
 * when another has it. It is an abstract Unix socket: nothing on disk, and the kernel lets go of it however
 * its holder ends. Elsewhere than on Linux there is no such thing and the lock is always granted. `dir` must
 * exist.
 */
export function takeMachineLock(purpose, dir) {
  if (process.platform !== 'linux') return Promise.resolve({ release: async () => {} });
  // Not by its path: two containers on one network may each have a /data.
  const { dev, ino } = statSync(dir);
  const key = createHash('sha256').update(`${purpose} ${dev} ${ino}`).digest('hex').slice(0, 40);
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(`\0farwatch-${key}`, () => {
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

/** Runs `work` while no other process of this machine runs its own under the same lock; waits its turn. */
export async function withMachineLock(purpose, dir, work) {
  let lock = await takeMachineLock(purpose, dir);
  while (!lock) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    lock = await takeMachineLock(purpose, dir);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
