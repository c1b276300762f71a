import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Lifecycle } from '../shared/lifecycle.ts';
import { accountRoutes } from './accounts/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { heartbeatRoutes } from './heartbeats/routes.ts';
import { createApp } from './http/server/app.ts';
import { createStartupServer } from './http/server/startup-server.ts';
import type { HttpServer } from './http/server/server.ts';
import { BUS_PATH } from './http/server/system-routes.ts';
import { ImportTurns } from './import-export/import-turns.ts';
import { configurationRoutes } from './import-export/routes.ts';
import { FileConverter } from './moving/file-converter.ts';
import { movingRoutes } from './moving/routes.ts';
import { connectBus } from './platform/bus/connect-bus.ts';
import { openMailer } from './platform/mail/mailer.ts';
import { claimInstallation } from './platform/mongo/installation.ts';
import { openMongo, waitForMongo, type MongoOptions } from './platform/mongo/mongo.ts';
import { RefusedWrites } from './platform/mongo/refused-writes.ts';
import { requireUsableDatabase } from './platform/mongo/usable-database.ts';
import { createResolver } from './platform/outbound/resolver.ts';
import { addressOf, createSignals, HttpServers, OwnedShards } from './wiring/known-later.ts';
import { openAccounts } from './wiring/accounts.ts';
import { openGate, openHeldAlerts } from './wiring/dependencies.ts';
import { openChanges } from './wiring/changes.ts';
import { openCauses } from './wiring/causes.ts';
import { openDiagnosis } from './wiring/diagnosis.ts';
import { openDomains } from './wiring/domains.ts';
import { openEvents } from './wiring/events.ts';
import { openEvidence } from './wiring/evidence.ts';
import { openDirectory, openFleet } from './wiring/fleet.ts';
import { openGroups } from './wiring/groups.ts';
import { openHttp } from './wiring/http.ts';
import { openIncidents } from './wiring/incidents.ts';
import { openMaintenance } from './wiring/maintenance.ts';
import { openMonitors } from './wiring/monitors.ts';
import { openNotifications, openWatchdog } from './wiring/notifications.ts';
import type { ControllerPorts } from './wiring/ports.ts';
import { openRehearsals } from './wiring/rehearsals.ts';
import { readControllerId, openResults } from './wiring/results.ts';
import { openRetention } from './wiring/retention.ts';
import { openPublicPages, openStatusPages, type PublicPageReaders } from './wiring/status-pages.ts';
import { openStores } from './wiring/stores.ts';
import { openSubscribers } from './wiring/subscribers.ts';
import { openRawReaders, openSubscriptions } from './wiring/subscriptions.ts';
import { openVariables } from './wiring/variables.ts';
import { Peers } from './work/peers.ts';

/** What a controller opens by itself. */
type OwnPorts = 'stores' | 'signals' | 'peers' | 'holder' | 'ownsShard' | 'baseUrl' | 'natsUrl';
type ExternalPorts = Omit<ControllerPorts, OwnPorts>;

/** Results that were taken are written before their shards are released. */
const RESULTS_STOP_TIMEOUT_MS = 8000;

export interface ControllerOptions extends Omit<ExternalPorts, 'mongo' | 'bus' | 'resolve' | 'shardMap'> {
  /** Called with each command that is sent to the database. */
  onCommand?: MongoOptions['onCommand'];
}

export interface RunningController {
  /** Where the API answers. */
  url: string;
  /** Drains and ends everything; within about 9 s. */
  stop(): Promise<void>;
}

/** @internal Tests open a controller without starting it. */
export type Controller = Awaited<ReturnType<typeof openController>>;

/**
 * Connects, opens a controller and starts it. It listens before that, and shows published pages as they were
 * last.
 */
export async function startController(options: ControllerOptions): Promise<RunningController> {
  const { config, clock } = options;
  mkdirSync(config.dataDir, { recursive: true });
  const publicPages = openPublicPages(options);
  const { host, port, trustProxy, rateLimit } = config.http;
  let url = '';
  const find = publicPages.findAtStartup(() => url);
  const server = createStartupServer({ clock, trustProxy, rateLimit, find });
  url = addressOf(config.http, await server.listen(port, host));
  try {
    return await connectAndStart(options, publicPages, server);
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function connectAndStart(
  options: ControllerOptions, publicPages: PublicPageReaders, server: HttpServer,
): Promise<RunningController> {
  const { config, clock, log, onCommand } = options;
  const mongo = openMongo(config.mongo.url, { onCommand });
  await waitForMongo(mongo, { clock, log });
  await requireUsableDatabase(mongo.db);
  const shardMap = await claimInstallation(mongo.db, config.shards);
  const { url: natsUrl, credsFile: creds } = config.nats;
  const bus = await connectBus({ url: natsUrl, creds, name: 'farwatch-controller', log, clock });
  const resolve = createResolver(clock);
  const controller = await openController({ ...options, mongo, bus, resolve, shardMap }, publicPages);
  await controller.start();
  const url = await controller.listen(createApp(controller.edge, server));
  return {
    url,
    stop: async () => {
      await controller.stop();
      await bus.close();
      await mongo.close();
    },
  };
}

/**
 * Constructs a whole controller, with its indexes and seeds in the database. It does nothing by itself until
 * `start`, and accepts no request until `listen`.
 */
export async function openController(options: ExternalPorts, publicPages = openPublicPages(options)) {
  const refusedWrites = new RefusedWrites(options.clock);
  const log = refusedWrites.wrapLog(options.log);
  const { config, clock, mongo, shardMap } = options;
  const ownedShards = new OwnedShards();
  const servers = new HttpServers(config.http);
  const ports: ControllerPorts = {
    ...options, log, signals: createSignals(),
    stores: await openStores(mongo.db, clock, shardMap, config.secretsKeys),
    peers: new Peers(), holder: readControllerId(config.dataDir), ownsShard: ownedShards.has,
    baseUrl: servers.baseUrl,
    natsUrl: () => config.nats.publicUrl ?? `${servers.baseUrl().replace(/^http/, 'ws')}${BUS_PATH}`,
  };
  const { stores } = ports;
  const mailer = openMailer(config.mail, { folder: join(config.dataDir, 'mail'), clock, log });
  const events = openEvents(ports);
  const accounts = await openAccounts(ports, { mailer, events });
  const directory = openDirectory(ports);
  const notifications = openNotifications(ports, { mailer, accounts, regions: directory });
  const readers = openRawReaders(ports);
  const fleet = await openFleet(ports, {
    directory, quota: accounts.quota, otherUsers: readers.users, notify: notifications.notifyProbeOwners,
  });
  const subscriptions = openSubscriptions(ports, { readers, accounts, fleet });
  const subscribers = openSubscribers(ports, { accounts, mailer });
  const domains = openDomains(ports);
  const maintenance = openMaintenance(ports, { subscribers });
  const causes = openCauses(ports, { notifications });
  const changes = openChanges(ports);
  const incidents = openIncidents(ports, { accounts, events, causes: causes.decider });
  const diagnosis = openDiagnosis(ports, { fleet, events, notifications });
  const results = openResults(ports, {
    accounts, fleet, events, incidents, notifications, domains, diagnosis, readers, ownedShards,
    alerts: openGate(ports, notifications), targetChanges: changes.recorder,
  });
  const heldAlerts = openHeldAlerts(ports, { fleet, incidents, notifications, results });
  const evidence = openEvidence(ports, { fleet });
  const monitors = openMonitors(ports, { accounts, fleet, incidents, results });
  const groups = openGroups(ports, { monitors, events });
  const variables = openVariables(ports, monitors);
  const statusPages = openStatusPages(ports, { accounts, monitors, subscribers, publicPages });
  const retention = openRetention(ports, accounts.quota);
  const watchdog = openWatchdog(ports, notifications);
  events.publishProbes({ fleet, accounts });
  fleet.quarantines.compareBy(results.readers.agreements);
  const { health, history, unwritten } = results.readers;
  diagnosis.follow(unwritten);
  const imports = new ImportTurns({ turns: stores.importTurns, clock, log, holder: ports.holder });
  const configuration = {
    imports, destinations: notifications.deps, maintenance: maintenance.deps, pages: statusPages.deps,
    variables: variables.deps, ...groups.deps,
  };
  const converter = new FileConverter(options.converterBundle, clock);
  const http = openHttp(ports, {
    accounts, results, fleet, notifications, events, refusedWrites, domains, evidence, subscribers,
    statusPages, diagnosis,
    routes: [
      ...accountRoutes({ ...accounts.deps, subscriptions: subscriptions.ofMember }), ...monitors.routes,
      ...groups.routes, ...variables.routes, ...fleet.routes,
      ...incidents.routesOver({
        notifications: notifications.log, history, changes: changes.ofIncidents, unwritten,
        onStatusChanged: causes.onStatusChanged,
        notifyOwner: (monitorId) => results.notifyOwners('manualEnds', [monitorId]),
      }),
      ...causes.routes, ...changes.routes, ...diagnosis.routes, ...evidence.routes, ...notifications.routes,
      ...openRehearsals(ports, { fleet, monitors, notifications, results }),
      ...events.routesOver(accounts.quota), ...subscriptions.routes,
      ...dashboardRoutes({
        monitors: monitors.deps, health, incidents: stores.incidents, fleet: fleet.overview,
      }),
      ...statusPages.routes, ...configurationRoutes(configuration),
      ...movingRoutes({ converter, ...configuration }),
      ...subscribers.routes, ...maintenance.routes,
      ...heartbeatRoutes({
        ...monitors.deps, pings: stores.pings, history: stores.pingHistory,
        projects: stores.accounts.projects, shardOf: shardMap.of,
        notifyOwner: (monitorId) => results.notifyOwners('pings', [monitorId]),
        onPingLost: (monitorId) => results.interrupted(monitorId),
      }),
    ],
  });
  const lifecycle = new Lifecycle({ clock, log })
    .add({ accounts })
    .add({ rawReaders: readers.directory })
    .add({ fleet: fleet.lifecycle, notifications, subscribers, snapshotWrites: statusPages.snapshotWrites })
    .add({
      subscriptionStream: subscriptions.stream, diagnoser: diagnosis.diagnoser, results, heldAlerts,
      evidence: evidence.intake,
      counts: monitors.counts, retention, domains, maintenance: maintenance.windowTask,
      groupRemovals: groups.removalTask, variables: variables.changeTask,
      incidentFollower: statusPages.follower, domainChecks: statusPages.domainChecks,
      visits: statusPages.counter, snapshots: statusPages.snapshots, quarantines: fleet.quarantines,
    }, RESULTS_STOP_TIMEOUT_MS)
    .add({ servers })
    .add({ events: events.hub, pageStreams: statusPages.streams })
    .add({ watchdog });
  return {
    stores, accounts, changes, domains, events, evidence, fleet, groups, incidents, maintenance, monitors,
    notifications, readers, results, retention, servers, statusPages, subscribers, subscriptions, watchdog,
    lifecycle,
    edge: http.edge,
    /** Claims shards, receives beats, sends alerts: all work in the background. */
    start: () => lifecycle.start(),
    /** Accepts requests; resolves to the address that links begin with. */
    listen: (app: HttpServer): Promise<string> => {
      statusPages.connect();
      return servers.listen(app, http.metricsEdge === null ? null : createApp(http.metricsEdge));
    },
    stop: () => lifecycle.stop(),
  };
}
