import { spawn, type ChildProcess } from 'node:child_process';
import { cleanEnvironment } from './clean-environment.ts';
import { until } from './until.ts';

/** A controller in a separate process, from a bundle. */
export class ControllerProcess {
  readonly #child: ChildProcess;
  #output = '';
  /** It has ended, and all its output has been read. */
  #isClosed = false;

  private constructor(bundle: string, env: Record<string, string>, flags: readonly string[]) {
    this.#child = spawn(
      process.execPath, [...flags, bundle], { env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#child.once('close', () => (this.#isClosed = true));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    }
  }

  /** Resolves when the controller listens. `flags` are Node's. */
  static async start(
    bundle: string, env: Record<string, string>, flags: readonly string[] = [],
  ): Promise<ControllerProcess> {
    const controller = new ControllerProcess(bundle, env, flags);
    const listens = () => controller.#output.includes('"msg":"listening"') ||
      (controller.#isClosed ? Promise.reject(new Error(controller.#output)) : null);
    await until(listens, { what: 'the controller listens' });
    return controller;
  }

  /** Standard output and error so far. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves once all its output has been read: to the signal that ended it, or null if it exited normally. */
  async ended(): Promise<NodeJS.Signals | null> {
    await until(() => this.#isClosed, { what: 'the controller ends' });
    return this.#child.signalCode;
  }

  async kill9(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended();
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
