import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { shardName } from '../../shared/ids.ts';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { programFile } from '../bundle.mjs';
import { ApiSession } from '../helpers/api-session.ts';
import { startBalancer, type Balancer } from '../helpers/balancer.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { startFaultProxy, startMongoProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { NO_EXAMINATIONS } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { LOAD_SETTINGS, type Installation } from './load.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** A controller in a separate process, with its own connections to the database and the bus. */
export interface Member {
  name: string;
  url: string;
  process: ControllerProcess;
  readonly holder: string;
  toMongo: FaultProxy;
  toNats: FaultProxy;
  /** Restarts it with the same data; resolves when it listens. */
  restart(bundle?: string): Promise<void>;
}

/** Several controllers on one database and one NATS server, behind one address, and a probe. */
export class Several implements Installation {
  readonly store: TestMongo;
  readonly nats: TestNats;
  readonly members: Member[] = [];
  readonly #dir = mkdtempSync(join(tmpdir(), 'farwatch-several-'));
  readonly #database: MongoClient;
  #balancer: Balancer | null = null;
  #probe: ProbeProcess | null = null;
  /** The output of ended processes. */
  #endedOutput = '';

  private constructor(store: TestMongo, nats: TestNats) {
    this.store = store;
    this.nats = nats;
    this.#database = new MongoClient(store.url);
  }

  /** All controllers start at once, on an empty database. Resolves when the probe is connected. */
  static async start(count: number): Promise<Several> {
    const several = new Several(...(await Promise.all([testMongo(), startNats()])));
    try {
      await several.#startAll(count);
      return several;
    } catch (error) {
      await several.stop();
      throw error;
    }
  }

  get url(): string {
    return this.#balancer?.url ?? '';
  }

  log(): string {
    const outputs = this.members.map(({ process }) => process.output);
    return [this.#endedOutput, ...outputs, this.#probe?.stderr ?? ''].join('\n');
  }

  /** Processes that ended unexpectedly, and unhandled promise rejections. */
  async deaths(): Promise<number> {
    const ended = this.members.filter(({ process }) => process.hasEnded).length;
    return ended + Number(this.#probe?.hasEnded) + (this.log().match(/unhandled ?rejection/gi)?.length ?? 0);
  }

  /** The holders of all shards, by shard; null while a shard has none. */
  async holders(): Promise<(string | null)[]> {
    const leases = await this.#database.db().collection<{ _id: string; holder: string }>('leases').find({}).toArray();
    const byShard = new Map(leases.map(({ _id, holder }) => [_id, holder]));
    return Array.from({ length: 16 }, (_, shard) => byShard.get(shardName(shard)) ?? null);
  }

  /** The controller that owns a monitor's shard. */
  async ownerOf(monitorId: string): Promise<Member> {
    return until(async () => {
      const holder = (await this.holders())[shardMap.of(monitorId)];
      return this.members.find((member) => member.holder === holder);
    }, { what: 'the monitor has an owner' });
  }

  /** Waits until exactly these controllers have shards, and all are ready. */
  async sharedBy(members: readonly Member[] = this.members): Promise<void> {
    const names = new Set(members.map(({ holder }) => holder));
    await until(async () => {
      const holders = await this.holders();
      return holders.every((holder) => holder !== null && names.has(holder)) && new Set(holders).size === names.size;
    }, { what: `shards are shared by ${members.map(({ name }) => name).join(', ')}` });
    await Promise.all(members.map(({ url }) => until(
      async () => (await fetch(`${url}/readyz`)).status === 200, { what: 'ready' },
    )));
  }

  async stop(): Promise<void> {
    await this.#probe?.end('SIGKILL');
    await Promise.all(this.members.map(async ({ process, toMongo, toNats }) => {
      await process.kill9();
      await Promise.all([toMongo.close(), toNats.close()]);
    }));
    await Promise.all([this.#balancer?.close(), this.#database.close()]);
    await Promise.all([this.store.stop(), this.nats.stop()]);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #startAll(count: number): Promise<void> {
    const [probe, controller] = [await programFile('probe'), await programFile('controller')];
    const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
    this.members.push(...(await Promise.all(ports.map((port, at) => this.#member(`c${at + 1}`, port, controller)))));
    this.#balancer = await startBalancer(ports);
    const session = await until(() => new ApiSession(this.url).begin(), { what: 'the operator registers' });
    await this.sharedBy();
    const { enrolment_token: token } =
      await session.ok<{ enrolment_token: string }>('POST', '/api/probes', { region_id: 'local', name: 'p' });
    const flags = ['--controller', this.url, '--token', token];
    this.#probe = new ProbeProcess(probe, join(this.#dir, 'probe'), flags, { LOG_LEVEL: 'info', ...NO_EXAMINATIONS });
    await this.#probe.connected();
  }

  async #member(name: string, port: number, bundle: string): Promise<Member> {
    const { nats, store } = this;
    const [toMongo, toNats] =
      await Promise.all([startMongoProxy(store.url), startFaultProxy({ port: Number(new URL(nats.url).port) })]);
    const dataDir = join(this.#dir, name);
    const env = {
      ...LOAD_SETTINGS, DATA_DIR: dataDir, PORT: String(port), MONGODB_URL: toMongo.url,
      NATS_URL: `nats://127.0.0.1:${toNats.port}`, NATS_CREDS: nats.controllerCreds,
      NATS_USERS_FILE: nats.usersFile, NATS_PID_FILE: nats.pidFile, NATS_PUBLIC_URL: nats.url,
    };
    const member: Member = {
      name, toMongo, toNats, url: `http://127.0.0.1:${port}`, process: await ControllerProcess.start(bundle, env),
      get holder() {
        return readFileSync(join(dataDir, 'controller-id'), 'utf8').trim();
      },
      restart: async (program = bundle) => {
        this.#endedOutput += member.process.output;
        member.process = await ControllerProcess.start(program, env);
      },
    };
    return member;
  }
}
