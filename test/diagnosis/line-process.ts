import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A child process that responds to each line of JSON with one. It ends with its standard input, so with this process. */
export class LineProcess {
  readonly #child: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];
  readonly #ended: Promise<unknown>;
  #stderr = '';

  constructor([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#ended = once(this.#child, 'exit');
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.#child.stdin?.on('error', () => undefined);
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })
      .on('line', (line) => this.#waiting.shift()?.(line));
  }

  /** Rejects if the process ends first. */
  async ask<Response>(request: unknown): Promise<Response> {
    const response = new Promise<string>((resolve) => this.#waiting.push(resolve));
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    const line = await Promise.race([response, this.#ended]);
    if (typeof line !== 'string') throw new Error(`A process ended: ${this.#stderr}`);
    return JSON.parse(line) as Response;
  }

  /** Its connections stay open, and the kernel accepts new ones. */
  suspend(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Responds to the lines of standard input, in their order, until it ends. */
export async function respondToLines<Request>(respond: (request: Request) => unknown): Promise<void> {
  let previous = Promise.resolve();
  for await (const line of createInterface({ input: process.stdin })) {
    const response = Promise.resolve(respond(JSON.parse(line) as Request));
    previous = previous.then(async () => void process.stdout.write(`${JSON.stringify(await response ?? null)}\n`));
  }
  process.exit();
}
