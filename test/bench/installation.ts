import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { openMongo, type Mongo } from '../../controller/platform/mongo/mongo.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { CONTROLLER_FLAGS } from '../../deploy/quickstart/processes/process-spec.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { until } from '../helpers/until.ts';
import { startDatabase, type BenchDatabase } from './database.ts';
import { populate, type Owner } from './population.ts';

interface Parts {
  nats: TestNats;
  database: BenchDatabase;
  mongo: Mongo;
  dir: string;
  launch(): Promise<ControllerProcess>;
  controller: ControllerProcess;
}

/** A controller with its own database and bus, and `count` monitors in one project. No checks run. */
export class Installation {
  /** The owner of everything. */
  static readonly operator = { email: 'operator@example.com', password: 'correct horse battery' };
  readonly group = '00000000-0000-4000-8000-00000000000a';
  readonly count: number;
  readonly url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #parts: Parts;
  /** The operator's session. */
  token = '';

  private constructor(count: number, url: string, parts: Parts) {
    this.count = count;
    this.url = url;
    this.#parts = parts;
  }

  /** Of the controller. */
  get pid(): number {
    return this.#parts.controller.pid;
  }

  get db(): Db {
    return this.#parts.mongo.db;
  }

  get databaseUrl(): string {
    return this.#parts.database.url;
  }

  /** The controller's connection to its bus. */
  get bus(): { url: string; creds: string } {
    const { url, controllerCreds: creds } = this.#parts.nats;
    return { url, creds };
  }

  static async start(bundles: string, count: number): Promise<Installation> {
    const [nats, database, port] = [await startNats(), await startDatabase(bundles), await freePort()];
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
    const mongo = openMongo(database.url);
    const env = {
      PORT: String(port), DATA_DIR: dir, MONGODB_URL: database.url, NATS_URL: nats.url,
      NATS_CREDS: nats.controllerCreds, NATS_USERS_FILE: nats.usersFile,
      NATS_PID_FILE: nats.pidFile, NATS_PUBLIC_URL: nats.url, RATE_LIMIT: '100000000', LOG_LEVEL: 'info',
    };
    const launch = () =>
      ControllerProcess.start(join(bundles, 'controller.mjs'), env, CONTROLLER_FLAGS);
    const parts = { nats, database, mongo, dir, launch, controller: await launch() };
    const one = new Installation(count, `http://127.0.0.1:${port}`, parts);
    await populate(mongo.db, await one.#register(), one.group, count);
    // The controller loads monitors at startup.
    await one.restart();
    return one;
  }

  /** Kills the controller and restarts it. Returns the ms from its start until it is ready. */
  async restart(): Promise<number> {
    await this.#parts.controller.kill9();
    const startedAt = performance.now();
    this.#parts.controller = await this.#parts.launch();
    await until(() => this.read('/readyz').then(() => true, () => false), { what: 'the controller is ready' });
    return performance.now() - startedAt;
  }

  async read(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = get(this.url + path, {
        agent: this.#agent, headers: { authorization: `Bearer ${this.token}` },
      }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${path}: ${response.statusCode} ${text}`));
        });
      });
      request.on('error', reject);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const { controller, mongo, database, nats, dir } = this.#parts;
    await controller.kill9();
    await mongo.close();
    await Promise.all([database.stop(), nats.stop()]);
    rmSync(dir, { recursive: true, force: true });
  }

  async #register(): Promise<Owner> {
    const body = JSON.stringify({ name: 'Operator', ...Installation.operator });
    const response = await fetch(
      `${this.url}/api/auth/register`,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body },
    );
    const { data } = (await response.json()) as { data: {
      user: { id: string };
      organization: { id: string };
      project: { id: string };
      token: string;
    } };
    this.token = data.token;
    return { organizationId: data.organization.id, projectId: data.project.id, userId: data.user.id };
  }
}
