import type { Clock } from '../../shared/time.ts';
import type { LogFile } from './log-file.ts';

export type Level = 'info' | 'warn' | 'error';

/** pino's numbers. */
const LEVELS: Record<Level, number> = { info: 30, warn: 40, error: 50 };
const MARKS: Record<Level, string> = { info: '·', warn: '!', error: '✗' };

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/**
 * What a person or a log collector sees. On a terminal: progress and warnings in words, every line of the processes
 * in the log file. Elsewhere: all of it as JSON lines.
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
    const line = JSON.stringify({ level: LEVELS[level], time: this.#clock.now(), name: 'quickstart', ...fields, msg: message });
    if (!this.isTerminal) return void this.#output.write(`${line}\n`);
    this.#file?.write(line);
    this.#output.write(`  ${MARKS[level]} ${message}\n`);
  }

  /** Text for a person; left out elsewhere. */
  tell(text: string): void {
    if (this.isTerminal) this.#output.write(text);
  }

  /** A line that a process of the installation wrote. */
  relay(role: string, line: string): void {
    const entry = parseEntry(line) ?? { level: LEVELS.info, time: this.#clock.now(), name: role, msg: line };
    const text = entry.raw ?? JSON.stringify(entry);
    if (!this.isTerminal) return void this.#output.write(`${text}\n`);
    this.#file?.write(text);
    if (entry.level >= LEVELS.warn) this.#output.write(`  ${entry.level >= LEVELS.error ? MARKS.error : MARKS.warn} ${role}: ${entry.msg}\n`);
  }
}

interface Entry {
  level: number;
  msg: string;
  raw?: string;
  time?: number;
  name?: string;
}

function parseEntry(line: string): Entry | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    const number = typeof level === 'number' ? level : (LEVELS[level as Level] ?? LEVELS.info);
    return { level: number, msg: typeof msg === 'string' ? msg : '', raw: line };
  } catch {
    return null;
  }
}

/** The message of a log line; the line itself when it is not of the log's form. */
export function plainText(line: string): string {
  return parseEntry(line)?.msg || line;
}
