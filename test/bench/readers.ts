import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pinned } from './cpu.ts';
import type { Order, ReadFigures } from './reader-process.ts';

export interface PageReaders {
  /** Resolves when all have together read the page `count` times, as fast as possible. Rejects if a read fails. */
  readAll(url: string, readers: number, count: number): Promise<void>;
  /** From now on, each reader loads the page every `intervalMs`. */
  start(url: string, readers: number, intervalMs: number): void;
  /** Disconnects all readers. */
  end(): Promise<ReadFigures>;
  stop(): void;
}

/** Starts a process of readers on the last core. */
export function startPageReaders(bundle: string): PageReaders {
  const [command, args] = pinned(1, process.execPath, [bundle]);
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const send = (order: Order) => void child.send(order);
  const nextFigures = async () => ((await once(child, 'message')) as [ReadFigures])[0];
  return {
    readAll: async (url, readers, count) => {
      send({ url, readers, count });
      const { failed } = await nextFigures();
      if (failed > 0) throw new Error(`${url}: ${failed} reads failed`);
    },
    start: (url, readers, intervalMs) => send({ url, readers, intervalMs }),
    end: () => {
      send('end');
      return nextFigures();
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
