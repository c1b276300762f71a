import { spawn, type ChildProcess } from 'node:child_process';
import { respondsAsNats } from '../../deploy/quickstart/servers/nats-server.ts';
import { natsPrograms } from './nats-programs.ts';
import { until } from './until.ts';

/** A nats-server from 2.10 on with a configuration of its own. */
export class NatsProcess {
  readonly url: string;
  readonly #configFile: string;
  readonly #port: number;
  #child: ChildProcess | null = null;
  log = '';

  constructor(configFile: string, port: number) {
    this.#configFile = configFile;
    this.#port = port;
    this.url = `nats://127.0.0.1:${port}`;
  }

  /** Resolves when it responds. */
  async start(): Promise<void> {
    const program = natsPrograms().newest;
    if (!program) throw new Error('no nats-server from 2.10 on');
    const child = spawn(program.path, ['-c', this.#configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    this.#child = child;
    const isSettled = async () => this.hasEnded || respondsAsNats({ host: '127.0.0.1', port: this.#port });
    await until(isSettled, { what: 'nats-server responds' });
    if (this.hasEnded) throw new Error(`nats-server ended:\n${this.log}`);
  }

  get hasEnded(): boolean {
    return this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (this.hasEnded || !child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}
