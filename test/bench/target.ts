import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pinned } from './cpu.ts';

export type Service = 'http' | 'https' | 'dns';

export interface BenchTarget {
  url: string;
  ports: Record<Service, number>;
  /** PEM of the authority to trust for `https`. */
  ca: string;
  /** Requests handled so far. */
  count(service?: Service): Promise<number>;
  /** HTTP requests handled so far, by the number that is their path. */
  runs(): Promise<number[]>;
  stop(): void;
}

/** Starts the bench's target in a separate process on the last core, to keep its CPU time separate. */
export async function startBenchTarget(bundle: string, core = 1): Promise<BenchTarget> {
  const [command, args] = pinned(core, process.execPath, [bundle]);
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const { ports, ca } = JSON.parse(line.toString()) as Pick<BenchTarget, 'ports' | 'ca'>;
  const counts = async () => {
    child.send('count');
    const [all] = (await once(child, 'message')) as [Record<Service, number> & { runs: number[] }];
    return all;
  };
  return {
    ports, ca,
    url: `http://127.0.0.1:${ports.http}`,
    count: async (service = 'http') => (await counts())[service],
    runs: async () => (await counts()).runs,
    stop: () => void child.kill('SIGKILL'),
  };
}
