import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The embedded store as a process. */
export class StoreProcess {
  readonly url: string;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
  }

  static async start(bundle: string, ...args: string[]): Promise<StoreProcess> {
    const child = spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const lines: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the store ended with ${code}: ${lines.join('\n')}`)));
      createInterface({ input: child.stdout! }).on('line', (line) => {
        lines.push(line);
        const message = JSON.parse(line) as { msg: string; url?: string };
        if (message.msg === 'listening') resolve(message.url!);
      });
    });
    return new StoreProcess(child, url);
  }

  /** Sends the signal, waits for the end of the process and returns its exit code. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = new Promise<number | null>((resolve) => this.child.once('exit', (code) => resolve(code)));
    this.child.kill(signal);
    return exited;
  }
}
