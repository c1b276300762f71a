import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { loadControllerConfig } from '../../controller/config.ts';
import { startController, type ControllerOptions, type RunningController } from '../../controller/controller.ts';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import { createLog, type Log } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { ApiSession } from './api-session.ts';
import { testMongo, type TestMongo } from './mongo.ts';
import { startNats, type TestNats } from './nats-server.ts';
import { TEST_PASSWORD_COST } from './tenants.ts';
import { TestProbe } from './test-probe.ts';
import { CommandRecord } from './checked-mongo.ts';

/**
 * The whole controller in this process, on a real NATS server and a store, with probes implemented from the contract.
 */
export interface ControllerRig {
  nats: TestNats;
  store: TestMongo;
  readonly controller: RunningController;
  /** The operator's session. */
  readonly session: ApiSession;
  commands: CommandRecord;
  /** Registers, enrols and connects a probe, by default the operator's in region `local`. */
  probe(name: string, of?: { session: ApiSession; region: string }): Promise<TestProbe>;
  /** Starts another controller on the same database and bus; it ends with the rig. */
  another(): Promise<RunningController>;
  /** Stops the controller, runs `between`, and starts it again. */
  restart(between: () => Promise<void>): Promise<void>;
  /** Stops everything; throws if the controller sent a command outside the closed list. */
  stop(): Promise<void>;
}

/**
 * Domain lookups are off unless `env` enables them. `watch` receives each database command of the controller.
 * `throughProxy` returns the address through which the controller reaches its database; `store` ends with the
 * rig.
 */
export async function startControllerRig(
  env: Record<string, string> = {}, observeCommand: (command: Document) => void = () => undefined,
  log: Log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent'),
  overrides: Partial<Pick<ControllerOptions, 'domainRoots' | 'clock' | 'consoleDir' | 'converterBundle'>>
    & { store?: TestMongo; throughProxy?(databaseUrl: string): Promise<string> } = {},
): Promise<ControllerRig> {
  const [nats, store] = await Promise.all([startNats(), overrides.store ?? testMongo()]);
  const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-controller-'));
  const commands = new CommandRecord();
  const { throughProxy, store: _store, ...options } = overrides;
  const config = loadControllerConfig({
    PORT: '0', DATA_DIR: dataDir, MONGODB_URL: await (throughProxy?.(store.url) ?? store.url), NATS_URL: nats.url,
    NATS_CREDS: nats.controllerCreds, NATS_USERS_FILE: nats.usersFile,
    NATS_PID_FILE: nats.pidFile, NATS_PUBLIC_URL: nats.url, RATE_LIMIT: '1000000', MIN_INTERVAL_SECONDS: '1',
    DOMAIN_LOOKUPS: 'false', ...env,
  });
  const onCommand = (command: Document): void => {
    commands.take(command);
    observeCommand(command);
  };
  const start = (dir = dataDir) => startController({
    config: { ...config, dataDir: dir }, clock: systemClock, log, timeZone: 'Europe/Berlin',
    random: Math.random, passwordCost: TEST_PASSWORD_COST, onCommand, ...options,
  });
  let controller = await start();
  let session = await new ApiSession(controller.url).begin();
  const probes: TestProbe[] = [];
  const others: RunningController[] = [];
  return {
    nats, store, commands,
    get controller() {
      return controller;
    },
    get session() {
      return session;
    },
    another: async () => {
      const other = await start(join(dataDir, `another-${others.length}`));
      others.push(other);
      return other;
    },
    restart: async (between) => {
      await controller.stop();
      await between();
      controller = await start();
      session = session.at(controller.url);
    },
    probe: async (name, of = { session, region: 'local' }) => {
      const created = await of.session.ok<{ enrolment_token: string }>(
        'POST', '/api/probes', { region_id: of.region, name },
      );
      const probe = new TestProbe();
      probe.enrolment = await of.session.ok<EnrolResponse>(
        'POST', '/api/probes/enrol', probe.request(created.enrolment_token),
      );
      probes.push(probe);
      await probe.connect();
      return probe;
    },
    stop: async () => {
      await Promise.all(probes.map((probe) => probe.stop()));
      await Promise.all([controller, ...others].map((each) => each.stop()));
      await store.stop();
      await nats.stop();
      rmSync(dataDir, { recursive: true, force: true });
      commands.verify();
    },
  };
}
