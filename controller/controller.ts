import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { newSecret, shardOf } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import type { Clock } from '../shared/time.ts';
import { subjects } from '../shared/contracts/subjects.ts';
import { openKeyRing, parseKeyRing } from './accounts/key-ring.ts';
import { Assignees } from './accounts/assignees.ts';
import { openAccounts } from './accounts/open-accounts.ts';
import { accountRoutes } from './accounts/routes.ts';
import { startFleet } from './assignments/fleet.ts';
import { createAuditRecorder } from './audit/recorder.ts';
import { auditRoutes } from './audit/routes.ts';
import { AuditStore } from './audit/store.ts';
import type { ControllerConfig } from './config.ts';
import { heartbeatRoutes } from './heartbeats/routes.ts';
import { PingStore } from './heartbeats/store.ts';
import { createApp } from './http/app.ts';
import { observeRequests } from './http/metrics.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { systemRoutes } from './http/system-routes.ts';
import { observeDeliveries } from './delivery-metrics.ts';
import { observeIngest } from './ingest-metrics.ts';
import { toMonitorConfig } from './monitors/config.ts';
import type { MonitorDeps } from './monitors/deps.ts';
import { monitorRoutes } from './monitors/routes.ts';
import { heartbeatsOf } from './monitors/heartbeats.ts';
import { MonitorStore } from './monitors/store.ts';
import { openDashboard } from './open-dashboard.ts';
import { openEvents } from './open-events.ts';
import { openIncidents } from './open-incidents.ts';
import { openNotifications } from './notifications.ts';
import { openMonitorReads } from './open-monitor-reads.ts';
import { openRetention } from './open-retention.ts';
import { openGroups } from './open-groups.ts';
import { openWatchdog } from './open-watchdog.ts';
import { openMailer } from './platform/mailer.ts';
import { connectBus, type NatsBus } from './platform/bus.ts';
import { openMongo, type Mongo, type MongoOptions } from './platform/mongo.ts';
import { isDatabaseUnavailable } from './platform/mongo-errors.ts';
import { whenMongoAnswers } from './platform/mongo-waiting.ts';
import { openProbeIdentities } from './platform/probe-identities.ts';
import { keepRawStream } from './platform/raw-stream.ts';
import { loadPlans } from './plans/plans.ts';
import { RawRetention } from './plans/raw-retention.ts';
import { openResultStores } from './result-stores.ts';
import { ResultsService } from './results/service.ts';

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
  const { db } = mongo;
  const monitors = new MonitorStore(db);
  await monitors.ensureIndexes();
  const { lists, counts } = await openMonitorReads({ db, clock, log });
  const { plansFile, jwtKeys, registration, defaultPlan } = config.accounts;
  const plans = loadPlans(plansFile === null ? null : readFileSync(plansFile, 'utf8'));
  const ring = jwtKeys === null ? await openKeyRing(join(config.dataDir, 'jwt-keys.json')) : await parseKeyRing(jwtKeys);
  const mailer = openMailer(config.mail, { folder: join(config.dataDir, 'mail'), clock, log });
  let url = '';
  const accounts = await openAccounts({
    db, clock, log, ring, plans, registration, defaultPlan, mailer, baseUrl: () => url, countMonitors: (id) => monitors.countOfOrganization(id),
    contentsOfProject: async (tenant) => ((await monitors.hasAny(tenant)) ? 'monitors' : (await groups.store.count(tenant)) > 0 ? 'groups' : null),
  });
  const events = openEvents({ bus, clock, log });
  const incidents = openIncidents({ db, clock, log, monitors, people: new Assignees(accounts.deps), events: events.publisher });
  await incidents.ensureIndexes();
  const notifications = await openNotifications({
    db, clock, log, random, mailer, incidents: incidents.store, baseUrl: () => url, allowPrivate: config.destinations.allowPrivate,
    regions: { named: (ids) => fleet.regionNames.named(ids) },
    ownsShard: (shard) => results.ownsShard(shard),
    announce: (ids) => {
      for (const shard of new Set(ids.map(shardOf))) if (!results.ownsShard(shard)) bus.publish(subjects.poke(shard), '');
    },
  });
  const groups = await openGroups(db, clock);
  const pings = new PingStore(db);
  await pings.ensureIndexes();
  const stores = await openResultStores(db);
  const fleet = await startFleet({
    db, bus, monitors, clock, log, timeZone: options.timeZone,
    identities: openProbeIdentities({ bus, users: config.nats.users, credsFile: config.nats.credsFile, clock, log }),
    natsUrl: config.nats.publicUrl, embeddedProbeToken: config.embeddedProbeToken,
    owns: (id) => results.ownsShard(shardOf(id)),
    regionLimit: async (organizationId) => (await accounts.quota.limitsOf(organizationId)).regions_per_monitor,
  });
  const rawRetention = new RawRetention({ clock, plans, limitsOf: (organizationId) => accounts.quota.limitsOf(organizationId) });
  const results = new ResultsService({
    clock, log, bus, holder: holderOf(config.dataDir),
    stores: { ...stores, history: events.telling(stores.history), incidents: incidents.outbox, alerts: notifications.alerts },
    limits: {
      rawRetentionMs: (organizationId) => rawRetention.of(organizationId), longestRawMs: rawRetention.longestMs,
      regionOwner: (region) => fleet.directory.region(region)?.organization_id,
      clockShiftMs: (probeId) => fleet.liveness.clockShiftMs(probeId),
    },
    monitors: {
      findMarked: async (shards, limit) =>
        (await monitors.findUnjournaled(shards, limit)).map((doc) => ({ shard: shardOf(doc._id), config: toMonitorConfig(doc), monitor: doc })),
      place: (docs) => fleet.placement.apply(docs),
      clear: (marks) => monitors.clearUnjournaled(marks),
    },
    pings,
    onPoke: () => notifications.service.poke(),
  });
  const monitorDeps: MonitorDeps = {
    monitors, lists, counts, quota: accounts.quota, regions: fleet.regionNames, destinations: notifications.destinations,
    groups: groups.store, runner: fleet.runNow, log,
    readers: { live: results.open, statistics: results.statistics, history: results.history, incidents: incidents.store },
    poke: (shard) => results.poke(shard), minIntervalSeconds: config.monitors.minIntervalSeconds,
  };
  const grouping = groups.over(monitorDeps);
  const retention = openRetention({
    db, clock, log, accounts: accounts.deps, limitsOf: (organizationId) => accounts.quota.limitsOf(organizationId),
    ownsShard: (shard) => results.ownsShard(shard),
  });
  events.watchProbes({ fleet, projects: accounts.deps.projects, ownsShard: (shard) => results.ownsShard(shard) });
  const rawStream = keepRawStream({ bus, log, clock });
  const registry = new Registry();
  // Its default wakes the process a hundred times a second to see how late it is.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 500 });
  observeIngest(registry, results.ingest, bus);
  observeDeliveries(registry, notifications.service);
  const limiter = new RateLimiter(clock, config.http.rateLimit);
  const audited = new AuditStore(db);
  await audited.ensureIndexes();
  const app = createApp({
    audit: createAuditRecorder({ entries: audited, organizationsOf: accounts.organizationsOf, log }),
    routes: [
      ...systemRoutes({
        registry, clock,
        checks: [
          { name: 'mongodb', isReady: () => mongo.ping().then(() => true) },
          { name: 'nats', isReady: async () => bus.isConnected },
          { name: 'shards', isReady: async () => results.ingest.shards.size > 0 },
        ],
      }),
      ...accountRoutes(accounts.deps), ...auditRoutes({ entries: audited }), ...fleet.routes, ...notifications.routes,
      ...incidents.over({ notifications: notifications.log, past: results.history }), ...events.routes,
      ...monitorRoutes(monitorDeps), ...grouping.routes, ...openDashboard({ monitors: monitorDeps, health: results.health, incidents: incidents.store, fleet }),
      ...heartbeatRoutes({ monitors: heartbeatsOf(monitors), pings, poke: (shard) => results.poke(shard), lost: (shard) => results.interrupted(shard) }),
    ],
    credentials: accounts.credentials, tenants: accounts.tenants, limiter, clock, log, trustProxy: config.http.trustProxy,
    isUnavailable: isDatabaseUnavailable, observe: observeRequests(registry),
  });
  results.start();
  events.hub.start();
  notifications.start();
  retention.start();
  grouping.resume();
  counts.start();
  const watchdog = openWatchdog({ config: config.watchdog, notifications, mongo, bus, clock, log });
  watchdog?.start();
  const port = await app.listen(config.http.port, config.http.host);
  url = config.http.baseUrl ?? `http://${config.http.host === '0.0.0.0' ? '127.0.0.1' : config.http.host}:${port}`;
  return {
    url,
    stop: async () => {
      watchdog?.stop();
      await events.hub.stop();
      await app.close();
      rawStream.stop();
      await Promise.all([retention.stop(), results.stop(), counts.stop()]);
      await Promise.all([fleet.stop(), notifications.stop()]);
      await accounts.close();
      await mailer.close();
      await bus.close();
      await mongo.close();
    },
  };
}

/** A name for this installation's controller that outlives its process, so that it finds its own shards after a kill. */
function holderOf(dataDir: string): string {
  const file = join(dataDir, 'controller-id');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const id = newSecret().slice(0, 32);
    writeFileSync(file, `${id}\n`, { flag: 'wx', mode: 0o600 });
    return id;
  }
}
