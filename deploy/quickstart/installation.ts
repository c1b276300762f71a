import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { CONTROLLER_SECRETS } from '../../controller/config.ts';
import type { Environment } from '../../shared/environment.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import { prepareDatabase, RESTORED_NOTE } from './servers/database.ts';
import type { DataDir } from './data-dir.ts';
import { respondsAsNats, prepareNatsServer, type NatsServer } from './servers/nats-server.ts';
import { localAddress } from './servers/ports.ts';
import { NODE_VARIABLES, type ProcessFlags, type ProcessSpec } from './processes/process-spec.ts';
import type { Screen } from './output/screen.ts';
import type { QuickstartSettings } from './settings.ts';
import { StartError } from './start-error.ts';
import { SupervisedProcess } from './processes/supervised-process.ts';

const POLL_INTERVAL_MS = 25;
const SLOW_AFTER_MS = 60_000;
const PROBE_STOP_TIMEOUT_MS = 2500;
const CONTROLLER_STOP_TIMEOUT_MS = 3500;

export interface InstallationDeps {
  settings: QuickstartSettings;
  dataDir: DataDir;
  bundles: string;
  flags: ProcessFlags;
  env: Environment;
  /** Where the controller listens; its port is known and free. */
  http: { host: string; port: number };
  screen: Screen;
  clock: Clock;
}

/** The installation's processes: NATS, database, controller and one probe. */
export class Installation {
  readonly #deps: InstallationDeps;
  /** In the order in which they are stopped, one after the other. */
  readonly #processes: SupervisedProcess[] = [];
  #failed: StartError | null = null;
  #isStopping = false;
  #hasProbeConnected = false;

  constructor(deps: InstallationDeps) {
    this.#deps = deps;
  }

  /** True if nobody has used the installation yet. A restored one has users, and no probe. */
  get isFirstStart(): boolean {
    return !this.#hasProbe && !existsSync(join(this.#deps.dataDir.path, RESTORED_NOTE));
  }

  get #hasProbe(): boolean {
    return existsSync(join(this.#probeDir, 'identity.json'));
  }

  /** URL of the API on this machine. */
  get url(): string {
    return `http://${localAddress(this.#deps.http)}`;
  }

  /**
   * Resolves when the API responds and the probe is connected. Throws StartError if a process keeps crashing.
   */
  async start(): Promise<void> {
    const [mongoUrl, nats] = await Promise.all([this.#startDatabase(), this.#startNats()]);
    if (this.#isStopping) return;
    const token = this.#hasProbe ? null : randomBytes(32).toString('hex');
    this.#launch(this.#controllerSpec(mongoUrl, nats, token));
    if (token !== null) await this.#until('the API', () => respondsOk(`${this.url}/healthz`));
    if (this.#isStopping) return;
    this.#launch(this.#probeSpec(nats, token));
    await this.#until('the API', () => respondsOk(`${this.url}/readyz`));
    await this.#until('the probe', async () => this.#hasProbeConnected);
  }

  /** Stops probe, controller, NATS and database in this order, waiting for each to end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const process of this.#processes) await process.stop();
  }

  get #probeDir(): string {
    return join(this.#deps.dataDir.path, 'probe');
  }

  async #startDatabase(): Promise<string> {
    const { settings, dataDir, bundles, flags, env, screen } = this.#deps;
    if (settings.hasMongo) return settings.controller.mongo.url;
    const database = await prepareDatabase({
      dataDir: dataDir.path, bundles, flags: flags.store, env: withoutSecrets(env),
    });
    this.#launch(database.spec);
    let url: string | null = null;
    await this.#until(database.name, async () => (url = await database.url()) !== null);
    const note =
      database.spec.role === 'mongod' ? '' : ' (for evaluation or one small host; for more, set MONGODB_URL)';
    screen.say('info', `Database: ${database.name}${note}`);
    return url ?? '';
  }

  async #startNats(): Promise<NatsServer | null> {
    const { settings, dataDir, env, screen } = this.#deps;
    if (settings.hasNats) return null;
    const nats = await prepareNatsServer({
      dataDir: dataDir.path, nats: settings.controller.nats, env: withoutSecrets(env), screen,
    });
    this.#launch(nats.spec);
    await this.#until('nats-server', () => respondsAsNats(nats.address));
    screen.say(
      'info', `NATS: nats-server ${nats.program.version} on ${nats.address.host}:${nats.address.port}`,
    );
    return nats;
  }

  #controllerSpec(mongoUrl: string, nats: NatsServer | null, token: string | null): ProcessSpec {
    const { settings, dataDir, http } = this.#deps;
    const overrides = {
      DATA_DIR: dataDir.path,
      HOST: http.host,
      PORT: String(http.port),
      MONGODB_URL: mongoUrl,
      MONGODB_URL_FILE: undefined,
      NATS_URL: nats?.url ?? settings.controller.nats.url,
      NATS_URL_FILE: undefined,
      EMBEDDED_PROBE_TOKEN: token ?? undefined,
      ...(nats
        ? { NATS_CREDS: nats.seedFile, NATS_USERS_FILE: nats.usersFile, NATS_PID_FILE: nats.pidFile }
        : {}),
    };
    return this.#nodeSpec('controller', [], { ...this.#deps.env, ...overrides }, CONTROLLER_STOP_TIMEOUT_MS);
  }

  #probeSpec(nats: NatsServer | null, token: string | null): ProcessSpec {
    const args = token === null ? [] : ['--controller', this.url];
    const env = {
      ...withoutSecrets(this.#deps.env), DATA_DIR: this.#probeDir, NATS_URL: nats?.url,
      FARWATCH_TOKEN: token ?? undefined, FARWATCH_TOKEN_FILE: undefined,
      // Nothing that it connects to is elsewhere.
      NO_PROXY: '*', no_proxy: '*',
    };
    const onMessage = (message: unknown) => {
      if ((message as { msg?: unknown } | null)?.msg === 'connected') this.#hasProbeConnected = true;
    };
    return { ...this.#nodeSpec('probe', args, env, PROBE_STOP_TIMEOUT_MS), onMessage };
  }

  #nodeSpec(role: 'controller' | 'probe', args: string[], env: Environment, stopTimeoutMs: number): ProcessSpec {
    const { bundles, flags } = this.#deps;
    return {
      role, command: process.execPath,
      args: [...flags[role], join(bundles, `${role}.mjs`), ...args],
      env: { ...NODE_VARIABLES, ...env }, hasChannel: true, stopTimeoutMs,
    };
  }

  #launch(spec: ProcessSpec): void {
    if (this.#isStopping) return;
    const onCrashLoop = (reason: string) => {
      this.#failed = new StartError(reason);
    };
    const onRefused = (reason: string) => {
      if (spec.role === 'controller') this.#failed = new StartError(reason, 2);
    };
    const { clock, screen, dataDir: { records } } = this.#deps;
    const supervised = new SupervisedProcess({ clock, screen, records, onCrashLoop, onRefused }, spec);
    this.#processes.push(supervised);
    this.#processes.sort((one, other) => STOP_ORDER.indexOf(one.role) - STOP_ORDER.indexOf(other.role));
    supervised.start();
  }

  /** Polls until `isTrue`, or until stopped. Throws StartError if a process keeps crashing meanwhile. */
  async #until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const { clock, screen } = this.#deps;
    const startedMs = clock.monotonic();
    let hasWarned = false;
    while (!(await isTrue()) && !this.#isStopping) {
      if (this.#failed !== null) throw this.#failed;
      if (!hasWarned && clock.monotonic() - startedMs > SLOW_AFTER_MS) {
        hasWarned = true;
        screen.say('warn', `Still waiting for ${what}`);
      }
      await sleep(clock, POLL_INTERVAL_MS);
    }
  }
}

const STOP_ORDER = ['probe', 'controller', 'nats-server', 'mongod', 'embedded-mongo'];

/** For every process except the controller, which alone needs its keys. */
function withoutSecrets(env: Environment): Environment {
  const secrets = CONTROLLER_SECRETS.flatMap((name) => [name, `${name}_FILE`]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.includes(name)));
}

function respondsOk(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 2000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
    request.on('timeout', () => request.destroy());
  });
}
