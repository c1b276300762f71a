import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Peers } from '../shared/peers.ts';
import { accountRoutes } from './accounts/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { heartbeatRoutes } from './heartbeats/routes.ts';
import { createApp } from './http/server/app.ts';
import { createStartupServer } from './http/server/startup-server.ts';
import type { HttpServer } from './http/server/server.ts';
import { configurationRoutes } from './import-export/routes.ts';
import type { MonitorDeps } from './monitors/deps.ts';
import { monitorRoutes } from './monitors/routes.ts';
import { connectBus } from './platform/bus/bus.ts';
import { openMailer } from './platform/mail/mailer.ts';
import { openMongo, waitForMongo, type MongoOptions } from './platform/mongo/mongo.ts';
import { RefusedWrites } from './platform/mongo/refused-writes.ts';
import { createResolver } from './platform/outbound/resolver.ts';
import { openAccounts } from './wiring/accounts.ts';
import { openDomains } from './wiring/domains.ts';
import { openEvents } from './wiring/events.ts';
import { openEvidence } from './wiring/evidence.ts';
import { openFleet } from './wiring/fleet.ts';
import { openGroups } from './wiring/groups.ts';
import { openHttp } from './wiring/http.ts';
import { openIncidents } from './wiring/incidents.ts';
import { openMaintenance } from './wiring/maintenance.ts';
import { openMonitors } from './wiring/monitors.ts';
import { openNotifications, openWatchdog } from './wiring/notifications.ts';
import type { ControllerPorts } from './wiring/ports.ts';
import { readControllerId, openResults } from './wiring/results.ts';
import { openRetention } from './wiring/retention.ts';
import { openPublicPages, openStatusPages, type PublicPageReaders } from './wiring/status-pages.ts';
import { openStores } from './wiring/stores.ts';
import { openSubscribers } from './wiring/subscribers.ts';
import { openSubscriptions } from './wiring/subscriptions.ts';

type ExternalPorts = Omit<ControllerPorts, 'stores' | 'peers' | 'holder'>;

export interface ControllerOptions extends Omit<ExternalPorts, 'mongo' | 'bus' | 'resolve'> {
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
  const server = createStartupServer({ clock, trustProxy, rateLimit, find: publicPages.findAtStartup(() => url) });
  url = addressOf(config.http, await server.listen(port, host));
  try {
    return await connectAndStart(options, publicPages, server);
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** What links begin with, without a slash at its end. */
function addressOf({ baseUrl, host }: ControllerOptions['config']['http'], port: number): string {
  return baseUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}

async function connectAndStart(
  options: ControllerOptions, publicPages: PublicPageReaders, server: HttpServer,
): Promise<RunningController> {
  const { config, clock, log, onCommand } = options;
  const mongo = openMongo(config.mongo.url, { onCommand });
  await waitForMongo(mongo, { clock, log });
  const { url: natsUrl, credsFile: creds } = config.nats;
  const bus = await connectBus({ url: natsUrl, creds, name: 'farwatch-controller', log, clock });
  const resolve = createResolver(clock);
  const controller = await openController({ ...options, mongo, bus, resolve }, publicPages);
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
  const { config, clock } = options;
  const log = refusedWrites.wrapLog(options.log);
  const stores = await openStores(options.mongo.db, clock);
  const ports = { ...options, log, stores, peers: new Peers(), holder: readControllerId(config.dataDir) };
  let url = '';
  const baseUrl = () => url;
  const ownsShard = (shard: number): boolean => results.ownsShard(shard);
  const mailer = openMailer(config.mail, { folder: join(config.dataDir, 'mail'), clock, log });
  const monitors = openMonitors(ports);
  const groups = openGroups(ports);
  const domains = openDomains(ports, { onConfigsChanged: () => results.pollFeeds() });
  const events = openEvents(ports);
  const accounts = await openAccounts(ports, {
    mailer, events, baseUrl,
    deleteSubscriptions: (organizationId, userId) =>
      subscribing.deleteCreatedBy(organizationId, userId),
  });
  const { quota } = accounts;
  const limitsOf = (organizationId: string) => quota.limitsOf(organizationId);
  const incidents = openIncidents(ports, {
    accounts, events, onChanged: () => statusPages.follower.trigger(),
  });
  const subscriptions = openSubscriptions(ports);
  const maintenance = openMaintenance(ports, {
    onConfigsChanged: () => results.pollFeeds(),
    onEndsMoved: async (ends, now) => {
      await stores.incidents.moveMaintenanceEnds(ends, now);
      statusPages.follower.trigger();
    },
    announce: (pages, announcement) => subscribers.announce(pages, announcement),
  });
  const statusPages = openStatusPages(ports, {
    accounts, baseUrl, publicPages,
    notifySubscribers: () => subscribers.noticeSender.trigger(),
  });
  const fleet = await openFleet(ports, {
    monitors: stores.monitors, ownsShard, quota, otherUsers: subscriptions.users,
    notify: async (notice) => {
      const owner = notice.probe.organization_id;
      const organizationIds = owner === null ? await accounts.operatorOrganizations() : [owner];
      for (const organizationId of organizationIds) await notifications.alerts.fanOutProbeNotice(notice, organizationId);
    },
    agreements: {
      turn: () => results.agreements.pollNextShard(), of: (probeId) => results.agreements.of(probeId),
    },
  });
  const evidence = openEvidence(ports, { fleet });
  const notifications = openNotifications(ports, {
    mailer, accounts, regions: fleet.directory, baseUrl, ownsShard,
  });
  const results = openResults(ports, {
    accounts, fleet, events, incidents, notifications, domains, maintenance,
    hasRawReaders: (organizationId, projectId) =>
      subscriptions.directory.hasAny(organizationId) || events.hub.streamedProjects.has(organizationId, projectId),
  });
  const subscribers = openSubscribers(ports, {
    accounts, mailer, baseUrl,
    vetting: notifications.vetting, poster: notifications.poster,
  });
  events.publishProbes({ fleet, accounts, ownsShard });
  const retention = openRetention(ports, { limitsOf, ownsShard });
  const { unwritten, history, certificates } = results;
  const notifyOwner = (shard: number): void => results.notifyOwner(shard);
  const monitorDeps: MonitorDeps = {
    monitors: stores.monitors, lists: stores.monitorLists, counts: monitors.counts, quota,
    regions: fleet.directory, destinations: stores.destinations, groups: groups.lookup,
    readers: {
      live: unwritten, statistics: results.statistics, dailyUptimes: results.dailyUptimes, overview: results.overview, history,
      certificates,
      incidents: stores.incidents, outages: incidents.outages, domains: stores.domains,
    },
    runner: fleet.runNow, assigned: fleet.assigned, turns: monitors.turns,
    simulations: monitors.simulations, notifyOwner,
    minIntervalSeconds: config.monitors.minIntervalSeconds, log,
  };
  const grouping = groups.over(monitorDeps, events.publishGroup);
  const { deps: pages, fastResponses, connect, routes: pageRoutes } =
    statusPages.over(monitorDeps, subscribers.ofPages);
  const subscribing = subscriptions.over({ quota, identities: fleet.identities });
  const http = openHttp(ports, {
    accounts, results, fleet, notifications, events, refusedWrites, domains, evidence: evidence.intake, fastResponses,
    noticeSender: subscribers.noticeSender,
    mailers: { ...accounts.deps.mailers, subscriptions: subscribers.post },
    routeByHost: statusPages.routeByHost,
    routes: [
      ...accountRoutes(accounts.deps), ...monitorRoutes(monitorDeps), ...grouping.routes, ...fleet.routes,
      ...incidents.routesOver({ notifications: notifications.log, history: history, unwritten: unwritten, notifyOwner }),
      ...evidence.routes, ...notifications.routes, ...events.routesOver(quota),
      ...subscribing.routes,
      ...dashboardRoutes({
        monitors: monitorDeps, health: results.health, incidents: stores.incidents, fleet: fleet.overview,
      }),
      ...pageRoutes, ...configurationRoutes({ pages, ...grouping.deps }),
      ...subscribers.routes, ...maintenance.routes,
      ...heartbeatRoutes({
        monitors: stores.monitors, pings: stores.pings, notifyOwner, onPingLost: (shard) => results.interrupted(shard),
      }),
    ],
  });
  const watchdog = openWatchdog(ports, notifications);
  const servers: HttpServer[] = [];
  return {
    stores, accounts, monitors, events, incidents, fleet, subscriptions, maintenance, statusPages, subscribers,
    notifications, results,
    edge: http.edge,
    /** Shards are claimed, probes heard, alerts sent: all work in the background. */
    start: async () => {
      await subscriptions.directory.start();
      await fleet.start();
      subscriptions.stream.start();
      subscriptions.stream.trigger();
      results.start();
      evidence.intake.start();
      accounts.sessionEnds.start();
      events.hub.start();
      notifications.start();
      retention.start();
      domains.start();
      maintenance.windowTask.start();
      grouping.removalTask.start();
      grouping.removalTask.trigger();
      monitors.counts.start();
      statusPages.follower.start();
      statusPages.domainChecks.start();
      subscribers.noticeSender.start();
      statusPages.snapshotTask.start();
      statusPages.snapshotTask.trigger();
      watchdog?.start();
    },
    /** Accepts requests; resolves to the address that links begin with. */
    listen: async (app: HttpServer): Promise<string> => {
      const { host, port, metrics } = config.http;
      servers.push(app);
      connect();
      if (metrics.listen !== null && http.metricsEdge !== null) {
        const own = createApp(http.metricsEdge);
        servers.push(own);
        await own.listen(metrics.listen.port, metrics.listen.host);
      }
      url = addressOf(config.http, await app.listen(port, host));
      return url;
    },
    stop: async () => {
      watchdog?.stop();
      await events.hub.stop();
      statusPages.streams.stop();
      await Promise.all(servers.map((server) => server.close()));
      const ofPages = [
        statusPages.follower, statusPages.domainChecks, statusPages.counter, statusPages.snapshotTask,
      ];
      const tasks = [maintenance.windowTask, retention, grouping.removalTask, ...ofPages];
      const writers = [...tasks, results, monitors.counts, evidence.intake];
      const readers = [subscriptions.directory, subscriptions.stream, domains];
      await Promise.all([...readers, ...writers].map((each) => each.stop()));
      await Promise.all([
        fleet.stop(), notifications.stop(), subscribers.stop(), statusPages.settled(),
      ]);
      await accounts.close();
      await mailer.close();
    },
  };
}
