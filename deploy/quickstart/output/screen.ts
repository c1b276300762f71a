import type { Clock } from '../../../shared/time.ts';
import { LEVELS, logEntry, type Level } from './log-entry.ts';
import type { LogFile } from './log-file.ts';

const MARKS: Record<Level, string> = { info: '·', warn: '!', error: '✗' };

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/**
 * Output for people and log collectors. On a terminal: progress and warnings as text, with all process output
 * in the log file. Otherwise everything as JSON lines.
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

  /** Where the output of processes goes on a terminal. */
  logTo(file: LogFile): void {
    this.#file = file;
  }

  say(level: Level, message: string, fields: Record<string, unknown> = {}): void {
    const line = this.#line(level, 'quickstart', message, fields);
    if (!this.isTerminal) return void this.#output.write(`${line}\n`);
    this.#file?.write(line);
    this.#output.write(`  ${MARKS[level]} ${message}\n`);
  }

  /** Text for people; omitted if this is not a terminal. */
  print(text: string): void {
    if (this.isTerminal) this.#output.write(text);
  }

  /** A line written by a process of the installation. */
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
