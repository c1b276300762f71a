import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../deploy/quickstart/processes/process-spec.ts';
import { pinned } from './cpu.ts';

export interface WorkerOutcome<F> {
  /** CPU time of the load, excluding process startup, ms. */
  cpuMs: number;
  figures: F;
}

export interface RunningWorker<F> {
  child: ChildProcess;
  outcome: Promise<WorkerOutcome<F>>;
  /** The worker's first output line. */
  ready: Promise<void>;
}

/** Runs a load in a separate process on one core, with additional Node `flags`. */
export function startWorker<F>(
  outdir: string, name: string, options: object = {}, core = 0, flags: string[] = [],
): RunningWorker<F> {
  const [command, args] = pinned(
    core, process.execPath, [...NODE_FLAGS, ...flags, join(outdir, 'worker.mjs'), name, JSON.stringify(options)],
  );
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let resolveReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => (resolveReady = resolve));
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes('ready\n')) resolveReady();
  });
  const outcome = new Promise<WorkerOutcome<F>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve(JSON.parse(last) as WorkerOutcome<F>);
      else reject(new Error(`${name} ended with ${code}`));
    });
  });
  return { child, outcome, ready };
}

export function runWorker<F>(
  outdir: string, name: string, options: object = {}, core = 0, flags: string[] = [],
): Promise<WorkerOutcome<F>> {
  return startWorker<F>(outdir, name, options, core, flags).outcome;
}
