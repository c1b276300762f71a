import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pinned } from './cpu.ts';

export interface ReceivedAlert {
  path: string;
  /** The monitor's name. */
  name: string;
  /** Start of the outage, Unix ms. */
  startedAt: number;
  /** Arrival of the alert, Unix ms with fraction. */
  at: number;
}

export interface BenchReceiver {
  port: number;
  /** Returns and clears what has arrived. Paths that start with `/hang` get no response. */
  received(): Promise<ReceivedAlert[]>;
  take(): Promise<ReceivedAlert[]>;
  stop(): void;
}

/** Starts an alert receiver in a separate process on the last core. */
export async function startBenchReceiver(bundle: string): Promise<BenchReceiver> {
  const [command, args] = pinned(1, process.execPath, [bundle]);
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  const request = async (what: 'read' | 'take'): Promise<ReceivedAlert[]> => {
    child.send(what);
    const [{ received }] = (await once(child, 'message')) as [{ received: ReceivedAlert[] }];
    return received;
  };
  return {
    port, received: () => request('read'), take: () => request('take'), stop: () => void child.kill('SIGKILL'),
  };
}
