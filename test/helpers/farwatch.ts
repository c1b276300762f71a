import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { RunRecords } from '../../deploy/quickstart/processes/run-records.ts';
import { cleanEnvironment } from './clean-environment.ts';
import { until } from './until.ts';

export type FarwatchRole = 'quickstart' | 'controller' | 'probe' | 'nats-server' | 'embedded-mongo' | 'mongod';

export interface FarwatchOptions {
  /** A directory to use and keep; by default a temporary one, which `stop` removes. */
  dataDir?: string;
  port?: number;
  env?: Record<string, string>;
  /** Program and arguments; by default `farwatch start`. */
  command?: [string, ...string[]];
  /** Where it runs; by default in the root of the checkout. */
  cwd?: string;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** A whole installation as started by `npm start`, from bundles, in its own process group. */
export class Farwatch {
  readonly url: string;
  readonly dataDir: string;
  readonly logFile: string;
  readonly #options: FarwatchOptions;
  readonly #port: number;
  readonly #homeDir: string;
  #child: ChildProcess | null = null;
  /** Number of processes ended by `signal` that the quickstart restarts. */
  #ended = 0;

  constructor(options: FarwatchOptions, port: number) {
    this.#options = options;
    this.#port = port;
    this.#homeDir = mkdtempSync(join(tmpdir(), 'farwatch-'));
    this.dataDir = options.dataDir ?? join(this.#homeDir, 'data');
    this.logFile = join(this.#homeDir, 'farwatch.log');
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts, also after `end` or `kill9All`, with additional settings; resolves when it is ready. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const before = this.log().length;
    const output = openSync(this.logFile, 'a');
    const env = cleanEnvironment({ DATA_DIR: this.dataDir, PORT: String(this.#port), ...this.#options.env, ...settings });
    const [program, ...args] = this.#options.command ?? [process.execPath, join(ROOT, 'deploy/command/farwatch.mjs')];
    const child = spawn(program, args, { cwd: this.#options.cwd ?? ROOT, env, stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    this.#child = child;
    const isReady = () => {
      if (child.exitCode !== null) return 'ended';
      return this.log().slice(before).includes('"msg":"ready"') && 'ready';
    };
    const outcome = await until(isReady, { what: 'ready line' }).catch((error: Error) => error.message);
    if (outcome === 'ready') return;
    const log = this.log().slice(before);
    await this.kill9All();
    throw new Error(`Farwatch did not start (${outcome}); its log:\n${log.slice(-6000)}`);
  }

  /** Standard output of all processes since the first start. */
  log(): string {
    try {
      return readFileSync(this.logFile, 'utf8');
    } catch {
      return '';
    }
  }

  /** Pids of running processes, by role. */
  pids(): Partial<Record<FarwatchRole, number>> {
    const runDir = join(this.dataDir, 'run');
    const living = existsSync(runDir) ? new RunRecords(runDir).living() : [];
    return Object.fromEntries(living.map((record) => [record.role, record.pid]));
  }

  /** The pid of the running process in a role; waits while it is being restarted. */
  pid(role: FarwatchRole): Promise<number> {
    return until(() => this.pids()[role], { what: `${role} is running` });
  }

  /** Kills one process, which the quickstart restarts; resolves to its pid. */
  kill9(role: FarwatchRole): Promise<number> {
    return this.endOne(role, 'SIGKILL');
  }

  /** Ends one process by a signal, as `kill9` does. */
  async endOne(role: FarwatchRole, signal: NodeJS.Signals): Promise<number> {
    const pid = await this.pid(role);
    process.kill(pid, signal);
    if (role !== 'quickstart') this.#ended += 1;
    return pid;
  }

  /** Number of processes that ended without a test causing it since the first start, and of unhandled rejections. */
  async deaths(): Promise<number> {
    const countMatches = (pattern: RegExp) => this.log().match(pattern)?.length ?? 0;
    const ends = () => countMatches(/"name":"quickstart".* (?:keeps exiting|exited) \(/g);
    await until(() => ends() >= this.#ended, { what: 'the log names every process that a test has ended' });
    return ends() - this.#ended + countMatches(/unhandled ?(?:promise)? ?rejection/gi);
  }

  /** Waits until a new process has replaced the killed one in its role. */
  async replaced(role: FarwatchRole, killed: number, everyMs?: number): Promise<void> {
    await until(() => (this.pids()[role] ?? killed) !== killed, { what: `a new ${role}`, everyMs });
  }

  /** Kills every process at once, as a power failure would. */
  async kill9All(): Promise<void> {
    const pids = Object.values(this.pids());
    if (this.#child?.pid && this.#child.exitCode === null) pids.push(this.#child.pid);
    for (const pid of new Set(pids)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It exited since it was listed.
      }
    }
    await until(() => Object.keys(this.pids()).length === 0, { what: 'all processes gone' });
  }

  /** Asks it to stop; resolves to its exit code. Every process must have ended by then. */
  async end(send: (child: ChildProcess) => void = (child) => void child.kill('SIGTERM')): Promise<number | null> {
    const child = this.#child as ChildProcess;
    send(child);
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await until(hasEnded, { what: 'Farwatch stops' }).catch((error: Error) => {
      throw new Error(`${error.message}; its log:\n${this.log().slice(-3000)}`);
    });
    return child.exitCode;
  }

  /** Stops what still runs and removes the temporary files. Throws if the store rejected a command of the product. */
  async stop(): Promise<void> {
    if (this.#child && this.#child.exitCode === null && this.#child.signalCode === null) await this.end().catch(() => {});
    await this.kill9All();
    const refused = this.log().split('\n').filter((line) => line.includes('"msg":"a command was refused"'));
    rmSync(this.#homeDir, { recursive: true, force: true });
    if (refused.length > 0) throw new Error(`the embedded store refused commands of the product:\n${refused.join('\n')}`);
  }
}

/** Starts an installation; resolves when it is ready. */
export async function startFarwatch(options: FarwatchOptions = {}): Promise<Farwatch> {
  const farwatch = await makeFarwatch(options);
  await farwatch.start();
  return farwatch;
}

/** Prepares an installation on a free port, without starting it. */
export async function makeFarwatch(options: FarwatchOptions = {}): Promise<Farwatch> {
  return new Farwatch(options, options.port ?? (await freePort()));
}
