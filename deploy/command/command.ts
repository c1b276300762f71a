import type { Command } from 'commander';
import type { Environment } from '../../shared/environment.ts';
import type { Output } from './output.ts';

/** Exit codes of every command. */
export const EXIT = {
  /** What it was asked for is done, or true. */
  done: 0,
  /** It could not be done, or is not true. */
  failed: 1,
  /** The command line is wrong; or, of commands for this host, settings or files are. Nothing has changed. */
  refused: 2,
  /** Neither up nor down. */
  unknown: 3,
} as const;

/** Ends a command with one line on standard error. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

export interface CommandContext {
  env: Environment;
  version: string;
  /** Folder with one bundle per process. */
  bundles: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  output: Output;
}

/** Resolves to the exit code; null if the command goes on until a signal and exits by itself. */
export type Run = (...args: never[]) => Promise<number | null>;

/**
 * Adds a command's description, arguments and options, and returns what runs it: a function of the arguments
 * followed by the options.
 */
export type DefineCommand = (command: Command, context: CommandContext) => Run;
