import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Clock, Timer } from '../../../shared/time.ts';
import { LineSplitter } from './line-splitter.ts';
import { crashMessages, logEntry } from '../output/log-entry.ts';
import type { ProcessSpec } from './process-spec.ts';
import type { RunRecords } from './run-records.ts';
import type { Screen } from '../output/screen.ts';

const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;
/** Running this long resets the crash count. */
const STABLE_AFTER_MS = 20_000;
const CRASH_LOOP_EXITS = 4;
/** Our processes exit with 2 for what the operator has to put right. */
const REFUSED = 'exit code 2';
/** Per run; a single uncaught error of the database driver takes a hundred lines. */
const MAX_BUFFERED_LINES = 300;
/** How long to wait for the output of an ended process: a child of it may hold the pipe open. */
const OUTPUT_GRACE_MS = 250;

export interface ProcessDeps {
  clock: Clock;
  screen: Screen;
  records: RunRecords;
  /** Called with the reason whenever the process has crashed four times in quick succession. */
  onCrashLoop(reason: string): void;
  /** Called with what the process wrote besides log entries when it exits with 2. */
  onRefused(reason: string): void;
}

/**
 * Keeps one process running: restarts it after 0.1 s if it ends unexpectedly, doubling up to 10 s. It has its
 * own process group, so that the terminal's Ctrl-C reaches only us and we control the stop order.
 */
export class SupervisedProcess {
  readonly #deps: ProcessDeps;
  readonly #spec: ProcessSpec;
  #child: ChildProcess | null = null;
  #restart: Timer | null = null;
  #shortRuns = 0;
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
    child.once('error', (error) => this.#bufferLine(error.message));
    onceExited(child, this.#deps.clock, (how) => this.#ended(how, startedMs));
  }

  /** Sends SIGTERM, then SIGKILL after the timeout. Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#restart?.cancel();
    const child = this.#child;
    if (!child) return;
    const ended = new Promise<void>((resolve) => onceExited(child, this.#deps.clock, () => resolve()));
    child.kill('SIGTERM');
    const deadline = this.#deps.clock.setTimer(this.#spec.stopTimeoutMs, () => {
      this.#deps.screen.say(
        'warn', `${this.role} did not stop within ${this.#spec.stopTimeoutMs / 1000} s and was killed`,
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
    this.#bufferLine(line);
    if (text !== null) this.#deps.screen.relay(role, text);
    onLine?.(line);
  }

  #bufferLine(line: string): void {
    if (this.#lastLines.length >= MAX_BUFFERED_LINES) this.#lastLines.shift();
    this.#lastLines.push(line);
  }

  #ended(how: string, startedMs: number): void {
    this.#child = null;
    this.#deps.records.clear(this.role);
    if (this.#isStopping) return;
    const ranMs = this.#deps.clock.monotonic() - startedMs;
    this.#shortRuns = ranMs >= STABLE_AFTER_MS ? 1 : this.#shortRuns + 1;
    const delayMs = Math.min(MAX_RESTART_DELAY_MS, MIN_RESTART_DELAY_MS * 2 ** (this.#shortRuns - 1));
    const { screen, clock, onCrashLoop, onRefused } = this.#deps;
    if (how === REFUSED) onRefused(this.#lastLines.filter((line) => logEntry(line) === null).join('\n'));
    if (this.#shortRuns % CRASH_LOOP_EXITS === 0) {
      const output = crashMessages(this.#lastLines).map((line) => `    ${line}`).join('\n');
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

/** Calls `listener` once with how the process ended, after its last output or OUTPUT_GRACE_MS. */
function onceExited(child: ChildProcess, clock: Clock, listener: (how: string) => void): void {
  let isNotified = false;
  const notify = (code: number | null, signal: NodeJS.Signals | null) => {
    if (!isNotified) listener(signal ?? `exit code ${code}`);
    isNotified = true;
  };
  child.once('close', notify);
  child.once('exit', (code, signal) => void clock.setTimer(OUTPUT_GRACE_MS, () => notify(code, signal)));
}
