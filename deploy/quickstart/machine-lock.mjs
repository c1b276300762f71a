import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';

const RETRY_MS = 200;

/**
 * Takes a machine-wide lock of a directory for one purpose; null if another process holds it. `dir` must
 * exist.
 */
export async function takeMachineLock(purpose, dir) {
  // Not by path: two containers on one network may each have a /data.
  const { dev, ino } = statSync(dir);
  return takeNetworkLock(createHash('sha256').update(`${purpose} ${dev} ${ino}`).digest('hex').slice(0, 40));
}

/**
 * Takes a lock that all processes on one network of this machine share; null if it is held. Uses an abstract
 * Unix socket: nothing on disk, released by the kernel however its holder ends. Always granted on systems
 * other than Linux.
 */
export function takeNetworkLock(key) {
  if (process.platform !== 'linux') return Promise.resolve({ release: async () => {} });
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(`\0farwatch-${key}`, () => {
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

/** Runs `work` while holding the lock, waiting for other processes of this machine to release it. */
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
