import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Clock, Timer } from '../../shared/time.ts';
import { LineSplitter } from './line-splitter.ts';
import { lastWords } from './log-entry.ts';
import type { ProcessSpec } from './process-spec.ts';
import type { RunRecords } from './run-records.ts';
import type { Screen } from './screen.ts';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A life this long clears the record of short ones. */
const SOUND_LIFE_MS = 20_000;
const CRASH_LOOP_LIVES = 4;
/** Of one life; an uncaught error of the database driver alone takes a hundred. */
const KEPT_LINES = 300;
/** How long a dead process's output is waited for: somebody it started may hold the pipe open. */
const LAST_WORDS_MS = 250;

export interface ProcessDeps {
  clock: Clock;
  screen: Screen;
  records: RunRecords;
  /** Called with the reason each time the process has ended four times in short order. */
  onCrashLoop(reason: string): void;
}

/**
 * Keeps one process running: when it ends unasked it is started again, after 0.1 s, then twice as long each
 * time up to 10 s. It has a process group of its own, so that the terminal's Ctrl-C reaches us alone and we
 * choose the order.
 */
export class SupervisedProcess {
  readonly #deps: ProcessDeps;
  readonly #spec: ProcessSpec;
  #child: ChildProcess | null = null;
  #restart: Timer | null = null;
  #shortLives = 0;
  #isStopping = false;
  #lastLines: string[] = [];

  constructor(deps: ProcessDeps, spec: ProcessSpec) {
    this.#deps = deps;
    this.#spec = spec;
  }

  get role(): string {
    return this.#spec.role;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    const { command, args, env, role, hasChannel } = this.#spec;
    const startedMs = this.#deps.clock.monotonic();
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(hasChannel ? ['ipc' as const] : [])];
    const child = spawn(command, [...args], { env: { ...env }, stdio, detached: true });
    this.#child = child;
    this.#lastLines = [];
    if (child.pid !== undefined) this.#deps.records.write(role, child.pid);
    this.#readLines(child);
    child.on('message', (message) => this.#spec.onMessage?.(message));
    child.once('error', (error) => this.#keepLine(error.message));
    onceGone(child, this.#deps.clock, (how) => this.#ended(how, startedMs));
  }

  /** SIGTERM, and SIGKILL when its time is up. Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#restart?.cancel();
    const child = this.#child;
    if (!child) return;
    const ended = new Promise<void>((resolve) => onceGone(child, this.#deps.clock, () => resolve()));
    child.kill('SIGTERM');
    const deadline = this.#deps.clock.setTimer(this.#spec.stopWithinMs, () => {
      this.#deps.screen.say(
        'warn', `${this.role} did not stop within ${this.#spec.stopWithinMs / 1000} s and was killed`,
      );
      child.kill('SIGKILL');
    });
    await ended;
    deadline.cancel();
  }

  #readLines(child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) {
      const lines = new LineSplitter((line) => this.#onLine(line));
      stream?.on('data', (chunk: Buffer) => lines.push(chunk));
      stream?.on('end', () => lines.end());
    }
  }

  #onLine(line: string): void {
    const { formatLine, onLine, role } = this.#spec;
    const text = formatLine ? formatLine(line) : line;
    this.#keepLine(line);
    if (text !== null) this.#deps.screen.relay(role, text);
    onLine?.(line);
  }

  #keepLine(line: string): void {
    if (this.#lastLines.length >= KEPT_LINES) this.#lastLines.shift();
    this.#lastLines.push(line);
  }

  #ended(how: string, startedMs: number): void {
    this.#child = null;
    this.#deps.records.clear(this.role);
    if (this.#isStopping) return;
    const livedMs = this.#deps.clock.monotonic() - startedMs;
    this.#shortLives = livedMs >= SOUND_LIFE_MS ? 1 : this.#shortLives + 1;
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#shortLives - 1));
    const { screen, clock, onCrashLoop } = this.#deps;
    if (this.#shortLives % CRASH_LOOP_LIVES === 0) {
      const output = lastWords(this.#lastLines).map((line) => `    ${line}`).join('\n');
      const reason = `${this.role} keeps exiting (${how}). Its last output:\n${output}`;
      screen.say('error', reason, { role: this.role });
      onCrashLoop(reason);
    } else {
      const message = `${this.role} exited (${how}); restarting it in ${delayMs / 1000} s`;
      screen.say('warn', message, { role: this.role });
    }
    this.#restart = clock.setTimer(delayMs, () => this.start());
  }
}

/** Calls `listener` once with how the process ended, after its last output or LAST_WORDS_MS. */
function onceGone(child: ChildProcess, clock: Clock, listener: (how: string) => void): void {
  let isTold = false;
  const tell = (code: number | null, signal: NodeJS.Signals | null) => {
    if (!isTold) listener(signal ?? `exit code ${code}`);
    isTold = true;
  };
  child.once('close', tell);
  child.once('exit', (code, signal) => void clock.setTimer(LAST_WORDS_MS, () => tell(code, signal)));
}
