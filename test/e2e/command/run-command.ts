import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { main } from '../../../deploy/command/main.ts';
import { cleanEnvironment } from '../../helpers/clean-environment.ts';

const ENTRY = join(resolve(import.meta.dirname, '../../..'), 'deploy/command/farwatch.mjs');

export interface CommandRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A started `farwatch`. */
export interface RunningCommand {
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<CommandRun>;
}

/** Starts `farwatch` of this checkout as a process of its own. */
export function startCommand(args: readonly string[], env: Record<string, string> = {}): RunningCommand {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<CommandRun>((done) => {
    child.once('close', (exitCode) => done({ exitCode, stdout, stderr }));
  });
  return { stdout: () => stdout, stderr: () => stderr, kill: (signal) => void child.kill(signal), ended };
}

export const runCommand = (args: readonly string[], env?: Record<string, string>): Promise<CommandRun> =>
  startCommand(args, env).ended;

/**
 * Runs `farwatch` in this process, which costs far less than starting one. Not for commands that handle signals.
 * `bundles` is the folder of built programs.
 */
export async function callCommand(
  argv: readonly string[], env?: Record<string, string>, bundles = '/nowhere',
): Promise<CommandRun> {
  let [stdout, stderr] = ['', ''];
  const exitCode = await main({
    argv, env: cleanEnvironment(env), version: 'test', bundles, stdin: new PassThrough() as never,
    stdout: streamTo((text) => (stdout += text)), stderr: streamTo((text) => (stderr += text)),
  });
  return { exitCode, stdout, stderr };
}

function streamTo(take: (text: string) => void): never {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(chunk.toString());
      done();
    },
  }) as never;
}
