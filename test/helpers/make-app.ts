import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db, Document } from 'mongodb';
import { loadControllerConfig } from '../../controller/config.ts';
import { openController, type Controller } from '../../controller/controller.ts';
import type { ServerLimits } from '../../controller/http/limits/server-limits.ts';
import { createApp } from '../../controller/http/server/app.ts';
import { referenceRoutes } from '../../controller/http/reference/routes.ts';
import type { Route } from '../../controller/http/routing/route.ts';
import { createResolver, type Resolve } from '../../controller/platform/outbound/resolver.ts';
import type { RegionDoc } from '../../controller/probes/probe.ts';
import type { ControllerBus } from '../../controller/wiring/ports.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { createLog, type Log } from '../../shared/log.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { ApiClient } from './api-client.ts';
import { testMongo } from './mongo.ts';
import { OwnersBus } from './owners-bus.ts';
import { readMail, type ReadMail } from './read-mail.ts';
import { checkedMongo } from './checked-mongo.ts';
import { shardMap } from './shard-map.ts';
import { TEST_PASSWORD_COST } from './tenants.ts';

export interface AppOptions {
  /** Settings in addition to those of every test app. */
  env?: Record<string, string>;
  /** Content of the file named by PLANS_FILE. */
  plansJson?: string;
  clock?: Clock;
  log?: Log;
  /** Replaces the bus on which tests respond for the owners of shards. */
  bus?: ControllerBus;
  resolve?: Resolve;
  limits?: ServerLimits;
  /** Additional routes; they replace product routes with the same method and path. */
  routes?(controller: Controller): Route[];
  /** Receives each command sent to the database. */
  onCommand?(command: Document): void;
  /** Folder with a built console to serve. */
  consoleDir?: string;
  /** A built convert-worker.ts. */
  converterBundle?: string;
  /** A database to use instead of a new one. */
  mongoUrl?: string;
}

export interface TestApp {
  url: string;
  db: Db;
  /** The database, so that another app can share it. */
  mongoUrl: string;
  dataDir: string;
  routes: readonly Route[];
  controller: Controller;
  clock: Clock;
  accounts: Controller['accounts'];
  monitors: Controller['stores']['monitors'];
  owners: OwnersBus;
  /** A client without credentials. */
  client: ApiClient;
  /** Mails to an address so far, oldest first, if mail is written to files. */
  mailsTo(email: string): ReadMail[];
  close(): Promise<void>;
}

/** A whole controller without background work, on its own port, with a fresh database in a real store. */
export async function makeApp(options: AppOptions = {}): Promise<TestApp> {
  const server = options.mongoUrl === undefined ? await testMongo() : null;
  const mongoUrl = options.mongoUrl ?? (server as { url: string }).url;
  const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-app-'));
  const plansFile = join(dataDir, 'plans.json');
  writeFileSync(plansFile, options.plansJson ?? '{}');
  const config = loadControllerConfig({
    PORT: '0', DATA_DIR: dataDir, MONGODB_URL: mongoUrl, NATS_URL: 'nats://127.0.0.1:1', REGISTRATION: 'open',
    PLANS_FILE: plansFile, RATE_LIMIT: '1000000', MAIL_FROM: 'Farwatch <farwatch@test.example>',
    DOMAIN_LOOKUPS: 'false',
    ...await baseUrlEnv(), ...options.env,
  });
  const mongo = checkedMongo(mongoUrl, options.onCommand);
  const owners = new OwnersBus();
  const { bus = owners, clock = systemClock, log = createLog('test', 'silent'), resolve = createResolver(systemClock) } =
    options;
  const controller = await openController({
    config, mongo, shardMap, bus, clock, log, resolve, timeZone: 'Europe/Berlin', random: Math.random,
    passwordCost: TEST_PASSWORD_COST, consoleDir: options.consoleDir, converterBundle: options.converterBundle,
  });
  const { edge } = controller;
  const own = options.routes?.(controller) ?? [];
  const isReplaced = (one: Route) =>
    own.some(({ method, path }) => method === one.method && path === one.path);
  const declared = [...edge.routes.filter((route) => !isReplaced(route)), ...own];
  const url = await controller.listen(createApp({ ...edge, routes: declared, limits: options.limits }));
  const routes = [...declared, ...referenceRoutes(declared)];
  return {
    url, routes, controller, clock, owners, dataDir, mongoUrl,
    db: mongo.db,
    accounts: controller.accounts,
    monitors: controller.stores.monitors,
    client: new ApiClient(url, routes),
    mailsTo: (email) => readMails(join(dataDir, 'mail')).filter((mail) => mail.headers['to'] === email),
    close: async () => {
      await controller.stop();
      await server?.stop();
      rmSync(dataDir, { recursive: true, force: true });
      await mongo.close();
    },
  };
}

/** With TEST_BASE_PATH, everything is served below that path. */
async function baseUrlEnv(): Promise<Record<string, string>> {
  const path = process.env['TEST_BASE_PATH'];
  if (path === undefined) return {};
  const port = String(await freePort());
  return { PORT: port, BASE_URL: `http://127.0.0.1:${port}${path}` };
}

function readMails(folder: string): ReadMail[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml')).sort();
  return names.map((name) => readMail(readFileSync(join(folder, name), 'latin1')));
}

/** Adds a region, shared or of the organization, and makes the controller load it. */
export async function addRegion(app: TestApp, id: string, region: Partial<RegionDoc>): Promise<void> {
  await app.db.collection<RegionDoc>('regions').replaceOne({ _id: id }, {
    name: id, city: '', country: '', lat: null, lon: null, created_at: 1, to_place: 0,
    visibility: 'shared', organization_id: null, ...region,
  }, { upsert: true });
  await app.controller.fleet.directory.refresh();
}
