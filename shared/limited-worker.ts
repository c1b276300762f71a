import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from './time.ts';

export interface WorkerLimits {
  memoryMb: number;
  /** Null for no deadline. */
  timeoutMs: number | null;
}

/** A worker needed more than its limits, and was terminated. */
export class WorkerLimitExceeded extends Error {
  readonly limit: 'memory' | 'time';

  constructor(limit: 'memory' | 'time') {
    super(`the worker needs too much ${limit}`);
    this.name = 'WorkerLimitExceeded';
    this.limit = limit;
  }
}

/**
 * Resolves to the first message of a worker, which gets `data` and is then terminated. Rejects with
 * WorkerLimitExceeded, or with what it throws.
 */
export function runWorker<Result>(
  program: { script: string } | { file: string }, data: unknown, limits: WorkerLimits, clock: Clock,
): Promise<Result> {
  const { memoryMb, timeoutMs } = limits;
  const isScript = 'script' in program;
  const worker = new Worker(isScript ? program.script : program.file, {
    eval: isScript, workerData: data, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let deadline: Timer | undefined;
  const result = new Promise<Result>((resolve, reject) => {
    if (timeoutMs !== null) deadline = clock.setTimer(timeoutMs, () => reject(new WorkerLimitExceeded('time')));
    worker.once('message', resolve).once('exit', () => reject(new Error('the worker exited')));
    worker.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new WorkerLimitExceeded('memory') : error);
    });
  });
  return result.finally(() => {
    deadline?.cancel();
    void worker.terminate();
  });
}
