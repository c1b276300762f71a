import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pinned } from './cpu.ts';

export interface BenchTarget {
  url: string;
  port: number;
  count(): Promise<number>;
  stop(): void;
}

/** Starts the bench's target in a process of its own, on the last core, to keep its CPU time separate. */
export async function startBenchTarget(bundle: string, core = 1): Promise<BenchTarget> {
  const [command, args] = pinned(core, process.execPath, [bundle]);
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    count: async () => {
      child.send('count');
      const [{ count }] = (await once(child, 'message')) as [{ count: number }];
      return count;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
