import { expect, test } from 'vitest';
import { runWorker, WorkerLimitExceeded } from '../../../shared/limited-worker.ts';
import { systemClock } from '../../../shared/time.ts';

const run = (body: string, { memoryMb = 64, timeoutMs = 60_000 } = {}) => runWorker<unknown>(
  { script: `const { parentPort, workerData } = require('node:worker_threads'); ${body}` }, 7, { memoryMb, timeoutMs }, systemClock,
);

test('resolves to the first message', async () => {
  expect(await run('parentPort.postMessage(workerData * 6); setInterval(() => {}, 1000)')).toBe(42);
});

test('rejects with what the worker throws, and if it ends without a message', async () => {
  await expect(run(`throw new RangeError('x')`)).rejects.toThrow(RangeError);
  await expect(run('')).rejects.toThrow('the worker exited');
});

test('ends a worker that takes too long or too much memory', async () => {
  await expect(run('for (;;);', { timeoutMs: 50 })).rejects.toEqual(new WorkerLimitExceeded('time'));
  await expect(run('const all = []; for (;;) all.push({ at: all.length });', { memoryMb: 16 }))
    .rejects.toEqual(new WorkerLimitExceeded('memory'));
});
