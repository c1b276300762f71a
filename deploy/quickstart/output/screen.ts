import type { Clock } from '../../../shared/time.ts';
import { LEVELS, logEntry, type Level } from './log-entry.ts';
import type { LogFile } from './log-file.ts';

const MARKS: Record<Level, string> = { info: '·', warn: '!', error: '✗' };

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/**
 * What a person or a log collector sees. On a terminal: progress and warnings in words, every line of the
 * processes in the log file. Elsewhere: all of it as JSON lines.
 */
export class Screen {
  readonly isTerminal: boolean;
  readonly #output: Output;
  readonly #clock: Clock;
  #file: LogFile | null = null;

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
    this.isTerminal = Boolean(output.isTTY);
  }

  /** Where the processes' lines go when this is a terminal. */
  logTo(file: LogFile): void {
    this.#file = file;
  }

  say(level: Level, message: string, fields: Record<string, unknown> = {}): void {
    const line = this.#line(level, 'quickstart', message, fields);
    if (!this.isTerminal) return void this.#output.write(`${line}\n`);
    this.#file?.write(line);
    this.#output.write(`  ${MARKS[level]} ${message}\n`);
  }

  /** Text for a person; left out elsewhere. */
  print(text: string): void {
    if (this.isTerminal) this.#output.write(text);
  }

  /** A line that a process of the installation wrote. */
  relay(role: string, text: string): void {
    const entry = logEntry(text);
    const line = entry ? text : this.#line('info', role, text, {});
    if (!this.isTerminal) return void this.#output.write(`${line}\n`);
    this.#file?.write(line);
    if (!entry || entry.level < LEVELS.warn) return;
    this.#output.write(`  ${entry.level >= LEVELS.error ? MARKS.error : MARKS.warn} ${role}: ${entry.msg}\n`);
  }

  #line(level: Level, name: string, msg: string, fields: Record<string, unknown>): string {
    return JSON.stringify({ level: LEVELS[level], time: this.#clock.now(), name, ...fields, msg });
  }
}
