import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { subjects } from '../shared/contracts/subjects.ts';
import { shardOf } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import type { Clock } from '../shared/time.ts';
import { accountRoutes } from './accounts/routes.ts';
import type { ControllerConfig } from './config.ts';
import { heartbeatRoutes } from './heartbeats/routes.ts';
import { PingStore } from './heartbeats/store.ts';
import type { MonitorDeps } from './monitors/deps.ts';
import { monitorRoutes } from './monitors/routes.ts';
import { openAccounts, openSigningKeys } from './wiring/accounts.ts';
import { openDashboard } from './wiring/dashboard.ts';
import { openEvents } from './wiring/events.ts';
import { startFleet } from './wiring/fleet.ts';
import { openGroups } from './wiring/groups.ts';
import { openHttp } from './wiring/http.ts';
import { openIncidents } from './wiring/incidents.ts';
import { openMonitors } from './wiring/monitors.ts';
import { openNotifications } from './wiring/notifications.ts';
import { openResultStores } from './wiring/result-stores.ts';
import { openResults } from './wiring/results.ts';
import { openRetention } from './wiring/retention.ts';
import { openWatchdog } from './wiring/watchdog.ts';
import { connectBus, type NatsBus } from './platform/bus/bus.ts';
import { openMailer } from './platform/mail/mailer.ts';
import { openMongo, whenMongoAnswers, type Mongo, type MongoOptions } from './platform/mongo/mongo.ts';
import { openProbeIdentities } from './platform/bus/probe-identities.ts';
import { keepRawStream } from './platform/bus/raw-stream.ts';

export interface ControllerOptions {
  config: ControllerConfig;
  clock: Clock;
  log: Log;
  /** IANA name of the machine's time zone. */
  timeZone: string;
  random(): number;
  /** Told of each command that is sent to the database. */
  onCommand?: MongoOptions['onCommand'];
}

export interface RunningController {
  /** Where the API answers. */
  url: string;
  /** Drains and ends everything; within about 9 s. */
  stop(): Promise<void>;
}

/** Puts a controller together and starts it. */
export async function startController(options: ControllerOptions): Promise<RunningController> {
  const { config, clock, log } = options;
  mkdirSync(config.dataDir, { recursive: true });
  const mongo = openMongo(config.mongo.url, { onCommand: options.onCommand });
  await whenMongoAnswers(mongo, { clock, log });
  const bus = await connectBus({ url: config.nats.url, creds: config.nats.credsFile, name: 'farwatch-controller', log, clock });
  return startParts(options, mongo, bus);
}

async function startParts(options: ControllerOptions, mongo: Mongo, bus: NatsBus): Promise<RunningController> {
  const { config, clock, log, random } = options;
  const base = { db: mongo.db, clock, log };
  const { plans, jwtKeys, registration, defaultPlan } = config.accounts;
  let url = '';
  const baseUrl = () => url;
  // What is put together later is named in functions that are called when all of it is there.
  const ownsShard = (shard: number): boolean => results.ownsShard(shard);
  const monitors = await openMonitors(base);
  const mailer = openMailer(config.mail, { folder: join(config.dataDir, 'mail'), clock, log });
  const accounts = await openAccounts({
    ...base, ring: await openSigningKeys(jwtKeys, config.dataDir), plans, registration, defaultPlan, mailer, baseUrl,
    countMonitors: (id) => monitors.store.countOfOrganization(id),
    contentsOfProject: async (tenant) => ((await monitors.store.hasAny(tenant)) ? 'monitors' : (await groups.store.count(tenant)) > 0 ? 'groups' : null),
  });
  const limitsOf = (organizationId: string) => accounts.quota.limitsOf(organizationId);
  const events = openEvents({ bus, clock, log });
  const incidents = await openIncidents({ ...base, monitors: monitors.store, people: accounts.people, events: events.publisher });
  const notifications = await openNotifications({
    ...base, random, mailer, baseUrl, ownsShard, incidents: incidents.store, allowPrivate: config.destinations.allowPrivate,
    regions: { named: (ids) => fleet.directory.named(ids) },
    announce: (ids) => {
      for (const shard of new Set(ids.map(shardOf))) if (!ownsShard(shard)) bus.publish(subjects.poke(shard), '');
    },
  });
  const groups = await openGroups(mongo.db, clock);
  const pings = new PingStore(mongo.db);
  await pings.ensureIndexes();
  const stores = await openResultStores(mongo.db);
  const fleet = await startFleet({
    ...base, bus, monitors: monitors.store, timeZone: options.timeZone, natsUrl: config.nats.publicUrl, embeddedProbeToken: config.embeddedProbeToken,
    identities: openProbeIdentities({ bus, users: config.nats.users, credsFile: config.nats.credsFile, clock, log }),
    owns: (id) => ownsShard(shardOf(id)),
    regionLimit: async (organizationId) => (await limitsOf(organizationId)).regions_per_monitor,
  });
  const results = openResults({
    stores, monitors: monitors.store, pings, accounts, fleet, events, incidents, notifications, dataDir: config.dataDir, bus, clock, log,
  });
  const monitorDeps: MonitorDeps = {
    monitors: monitors.store, lists: monitors.lists, counts: monitors.counts, quota: accounts.quota, regions: fleet.directory,
    destinations: notifications.destinations, groups: groups.lookup, runner: fleet.runNow, log,
    readers: { live: results.open, statistics: results.statistics, history: results.history, incidents: incidents.store },
    poke: (shard) => results.poke(shard), minIntervalSeconds: config.monitors.minIntervalSeconds,
  };
  const grouping = groups.over(monitorDeps);
  const retention = openRetention({ ...base, accounts: accounts.deps, limitsOf, ownsShard });
  events.watchProbes({ fleet, projects: accounts.deps.projects, ownsShard });
  const rawStream = keepRawStream({ bus, log, clock });
  const http = await openHttp({
    config: config.http, mongo, bus, accounts, results, notifications, events, clock, log,
    routes: [
      ...accountRoutes(accounts.deps), ...fleet.routes, ...notifications.routes, ...events.routes,
      ...incidents.over({ notifications: notifications.log, past: results.history, live: results.open }),
      ...monitorRoutes(monitorDeps), ...grouping.routes, ...openDashboard({ monitors: monitorDeps, health: results.health, incidents: incidents.store, fleet }),
      ...heartbeatRoutes({ monitors: monitors.store, pings, poke: monitorDeps.poke, lost: (shard) => results.interrupted(shard) }),
    ],
  });
  const watchdog = openWatchdog({ config: config.watchdog, notifications, mongo, bus, clock, log });
  results.start();
  events.hub.start();
  notifications.start();
  retention.start();
  grouping.start();
  monitors.counts.start();
  watchdog?.start();
  const port = await http.listen(config.http.port, config.http.host);
  url = config.http.baseUrl ?? `http://${config.http.host === '0.0.0.0' ? '127.0.0.1' : config.http.host}:${port}`;
  return {
    url,
    stop: async () => {
      watchdog?.stop();
      await events.hub.stop();
      await http.close();
      await Promise.all([rawStream.stop(), retention.stop(), grouping.stop(), results.stop(), monitors.counts.stop()]);
      await Promise.all([fleet.stop(), notifications.stop()]);
      await accounts.close();
      await mailer.close();
      await bus.close();
      await mongo.close();
    },
  };
}
