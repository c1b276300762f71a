import { spawn, type ChildProcess } from 'node:child_process';
import { until } from '../../helpers/until.ts';

export interface LogLine {
  msg: string;
  [field: string]: unknown;
}

/** A probe as a separate process. */
export class ProbeProcess {
  readonly #child: ChildProcess;
  readonly lines: LogLine[] = [];
  stderr = '';

  /** `node`: the command that starts Node.js. */
  constructor(
    bundle: string, dataDir: string, args: readonly string[] = [], env: Record<string, string> = {},
    hasChannel = false, node: readonly string[] = [process.execPath],
  ) {
    const [command = '', ...flags] = node;
    this.#child = spawn(command, [...flags, bundle, ...args], {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'debug', ...env },
      stdio: hasChannel ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    });
    let rest = '';
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      rest += chunk.toString();
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(JSON.parse(line) as LogLine);
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  logged(msg: string): LogLine | undefined {
    return this.lines.find((line) => line.msg === msg);
  }

  async connected(): Promise<void> {
    await until(
      () => this.logged('connected') ?? (this.hasEnded ? Promise.reject(new Error(this.stderr)) : null),
      { what: 'the probe logs connected' },
    );
  }

  disconnect(): void {
    this.#child.disconnect();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it and resolves to its exit code, null after SIGKILL. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.#child.kill(signal);
    return this.ended();
  }

  /** Resolves to its exit code once all its output has been read. */
  async ended(): Promise<number | null> {
    const { stdout, stderr } = this.#child;
    await until(() => this.hasEnded && stdout?.readableEnded && stderr?.readableEnded, { what: 'the probe ends' });
    return this.#child.exitCode;
  }
}
