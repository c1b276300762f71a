import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { cleanEnvironment } from './clean-environment.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface CommandResult {
  /** Null if a signal ended it. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Starts `farwatch` with these arguments and settings, as a process of its own. */
export function startCommand(args: readonly string[], env: Record<string, string> = {}) {
  const program = join(ROOT, 'deploy/command/farwatch.mjs');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT, env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<CommandResult>((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  return { child, ended };
}

/** Resolves when the command has ended. */
export function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  return startCommand(args, env).ended;
}
