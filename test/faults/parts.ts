import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureBundles } from '../../deploy/quickstart/bundle.mjs';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { ApiSession } from '../helpers/api-session.ts';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { storeUrl } from '../helpers/ledger.ts';
import { withDatabase } from '../helpers/mongo.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { NO_EXAMINATIONS } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { LOAD_SETTINGS, type Installation } from './load.ts';

type Environment = Record<string, string>;

export interface PartsOptions {
  /** Additional settings of the controller. */
  env?: Environment;
  /** Returns the URL at which the controller reaches its database. */
  throughProxy?(databaseUrl: string): Promise<string>;
  /** The controller's program; by default that of this checkout. */
  program?: string;
  /** The name of NATS for the controller; by default its address. */
  natsHost?: string;
  /** Commands that run the command line after them. */
  within?: Partial<Record<'controller' | 'database', readonly string[]>>;
}

export interface ProbeOptions {
  name?: string;
  env?: Environment | undefined;
  /** Where it finds NATS. */
  natsUrl?: string;
  /** The probe's program; by default that of this checkout. */
  program?: string;
  /** A command that runs the command line after it. */
  within?: readonly string[] | undefined;
}

/** A process that only the test restarts. */
export class Part {
  readonly args: readonly string[];
  /** Read at each start. */
  readonly env: Environment;
  readonly #within: readonly string[];
  #child: ChildProcess | null = null;
  /** Its last run has ended, and all its output is in `log`. */
  #isClosed = true;
  log = '';
  /** Number of unexpected ends. */
  deaths = 0;

  constructor(args: readonly string[], env: Environment, within: readonly string[] = []) {
    this.args = args;
    this.env = env;
    this.#within = within;
  }

  start(): void {
    const [program = '', ...args] = [...this.#within, process.execPath, ...this.args];
    const child = spawn(program, args, {
      env: cleanEnvironment(this.env), stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#isClosed = false;
    child.once('exit', () => {
      if (this.#child === child) this.deaths += 1;
    });
    child.once('close', () => (this.#isClosed = true));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  /** Waits for a text in the output, by default since the first start; throws if the process ends first. */
  async waitForOutput(text: string, from = 0): Promise<void> {
    await until(() => this.log.includes(text, from) || this.#isClosed, { what: text });
    if (!this.log.includes(text, from)) throw new Error(`the process has ended:\n${this.log.slice(-3000)}`);
  }

  /** Resolves once all its output has been read. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child && !this.hasEnded) {
      this.#child = null;
      child.kill(signal);
    }
    await until(() => this.#isClosed, { what: 'the process ends' });
  }
}

/** A probe and its ids in the API. */
export class ProbePart extends Part {
  readonly id: string;
  readonly dataDir: string;

  constructor(id: string, args: readonly string[], env: Environment, dataDir: string, within?: readonly string[]) {
    super(args, { ...env, DATA_DIR: dataDir }, within);
    this.id = id;
    this.dataDir = dataDir;
  }
}

/** An installation of separate processes, which a test starts and kills in any order. */
export class Parts implements Installation {
  readonly url: string;
  readonly nats: TestNats;
  readonly database: Part;
  readonly controller: Part;
  readonly probes: ProbePart[] = [];
  readonly #dir: string;
  readonly #bundles: string;

  private constructor(
    nats: TestNats, bundles: string, port: number, { program = join(bundles, 'controller.mjs'), natsHost, within }: PartsOptions,
  ) {
    this.nats = nats;
    this.#bundles = bundles;
    this.#dir = mkdtempSync(join(tmpdir(), 'farwatch-parts-'));
    this.url = `http://127.0.0.1:${port}`;
    const store = this.#folder('store');
    this.database = new Part(
      [join(bundles, 'embedded-mongo.mjs'), '--dir', store, '--socket', join(this.#dir, 'm.sock')], {}, within?.database,
    );
    const natsUrl = nats.url.replace('127.0.0.1', natsHost ?? '127.0.0.1');
    this.controller = new Part([program], {
      ...LOAD_SETTINGS, PORT: String(port), DATA_DIR: this.#folder('controller'),
      NATS_URL: natsUrl, NATS_PUBLIC_URL: natsUrl, NATS_CREDS: nats.controllerCreds,
      NATS_USERS_FILE: nats.usersFile, NATS_PID_FILE: nats.pidFile,
    }, within?.controller);
  }

  /** Resolves when the controller is ready; there is no probe yet. */
  static async start(options: PartsOptions = {}): Promise<Parts> {
    const { env = {}, throughProxy } = options;
    const root = resolve(import.meta.dirname, '../..');
    const [nats, bundles, port] = await Promise.all([
      startNats(), ensureBundles({ root, say: () => undefined }), freePort(),
    ]);
    const parts = new Parts(nats, bundles, port, options);
    parts.database.start();
    await parts.database.waitForOutput('"listening"');
    const url = withDatabase(storeUrl(parts.database.log), 'farwatch');
    Object.assign(parts.controller.env, { ...env, MONGODB_URL: await (throughProxy?.(url) ?? url) });
    parts.controller.start();
    await parts.ready();
    return parts;
  }

  /** Waits until the controller responds and has loaded its shards. */
  async ready(): Promise<void> {
    const isReady = async () => (await fetch(`${this.url}/readyz`)).status === 200;
    await until(isReady, { what: 'the controller is ready' }).catch((error: Error) => {
      throw new Error(`${error.message}; its log:\n${this.controller.log.slice(-3000)}`);
    });
  }

  /** Registers a probe in a region, which is created if needed, and starts it; resolves when it is connected. */
  async probe(session: ApiSession, region: string, options: ProbeOptions = {}): Promise<ProbePart> {
    const { name = region, env = {}, natsUrl = this.controller.env['NATS_URL'] ?? '', within } = options;
    const { program = join(this.#bundles, 'probe.mjs') } = options;
    if (region !== 'local') {
      const made = { id: region, name: region, city: region, country: 'NO', visibility: 'shared' };
      const { status } = await session.call('POST', '/api/regions', made);
      if (status !== 201 && status !== 409) throw new Error(`the region ${region}: ${status}`);
    }
    const { probe: { id }, enrolment_token: token } =
      await session.ok<{ probe: { id: string }; enrolment_token: string }>(
        'POST', '/api/probes', { region_id: region, name },
      );
    return this.#launch(new ProbePart(id, [program, '--controller', this.url], {
      PROBE_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'info', NATS_URL: natsUrl, FARWATCH_TOKEN: token,
      ...NO_EXAMINATIONS, ...env,
    }, this.#folder(name), within));
  }

  /** Starts another process from a copy of a running probe's data directory. */
  twin({ id, args, env, dataDir }: ProbePart): Promise<ProbePart> {
    const copy = `${dataDir}-twin`;
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('/lock') });
    return this.#launch(new ProbePart(id, args, env, copy));
  }

  async #launch(probe: ProbePart): Promise<ProbePart> {
    this.probes.push(probe);
    probe.start();
    await probe.waitForOutput('"msg":"connected"');
    return probe;
  }

  log(): string {
    return this.#parts.map(({ log }) => log).join('');
  }

  deaths(): Promise<number> {
    const rejections = this.log().match(/unhandled ?(?:promise)? ?rejection/gi)?.length ?? 0;
    return Promise.resolve(this.#parts.reduce((sum, { deaths }) => sum + deaths, rejections));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.end('SIGKILL')));
    await this.nats.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #parts(): Part[] {
    return [this.database, this.controller, ...this.probes];
  }

  #folder(name: string): string {
    const path = join(this.#dir, name);
    mkdirSync(path, { recursive: true });
    return path;
  }
}
