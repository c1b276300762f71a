import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createNameRecords } from '../platform/outbound/name-records.ts';
import { DomainChecks } from '../status-pages/domains/domain-checks.ts';
import { domainRoutes } from '../status-pages/domains/domain-routes.ts';
import type { InstallationNames } from '../status-pages/domains/domain-rules.ts';
import { IncidentFollower } from '../status-pages/posts/incident-follower.ts';
import { postRoutes } from '../status-pages/posts/post-routes.ts';
import { detailRoutes } from '../status-pages/public/detail-routes.ts';
import { DomainSnapshots } from '../status-pages/public/snapshots/domain-snapshots.ts';
import { startupPages } from '../status-pages/public/startup-pages.ts';
import { HostRouter } from '../status-pages/public/host-router.ts';
import { liveRoutes } from '../status-pages/public/live/live-routes.ts';
import { MonitorBadges } from '../status-pages/public/syndication/monitor-badges.ts';
import { PageSnapshots } from '../status-pages/public/snapshots/page-snapshots.ts';
import { PageStreams } from '../status-pages/public/live/page-streams.ts';
import { PageCache, type LastKnownPages } from '../status-pages/public/cache/page-cache.ts';
import { publicPageRoutes, fastPageResponses } from '../status-pages/public/public-routes.ts';
import { readPublicPage } from '../status-pages/public/read-public-page.ts';
import { createSnapshotRefresh } from '../status-pages/public/snapshots/snapshot-refresh.ts';
import { syndicationRoutes } from '../status-pages/public/syndication-routes.ts';
import { pageRoutes } from '../status-pages/routes.ts';
import { VisitCounter } from '../status-pages/visits/visit-counter.ts';
import type { Accounts } from './accounts.ts';
import type { Monitors } from './monitors.ts';
import type { ControllerPorts } from './ports.ts';
import type { Subscribers } from './subscribers.ts';

export type PublicPageReaders = ReturnType<typeof openPublicPages>;

/** Pages as readers get them: at first what the disk knows. */
export function openPublicPages({ config, clock, log }: Pick<ControllerPorts, 'config' | 'clock' | 'log'>) {
  const dir = join(config.dataDir, 'status-pages');
  const [snapshots, domains] = [new PageSnapshots({ dir, clock, log }), new DomainSnapshots(dir, log)];
  const cachedPages: LastKnownPages = {
    recall: (subdomain) => snapshots.recall(subdomain),
    save: (found) => {
      snapshots.save(found);
      domains.save(found.page);
    },
    remove: (subdomain) => {
      snapshots.remove(subdomain);
      domains.remove(subdomain);
    },
  };
  const readers = new PageCache({ clock, last: cachedPages });
  return {
    readers, recallDomain: (domain: string) => domains.recall(domain),
    snapshots: { names: () => snapshots.names(), remove: cachedPages.remove.bind(cachedPages) },
    settled: () => Promise.all([snapshots.settled(), domains.settled()]),
    /** Answers requests before the database does. `baseUrl` is what links begin with, as everywhere. */
    findAtStartup: (baseUrl: () => string) => {
      const recall = (domain: string) => domains.recall(domain);
      const cachedDomains = { find: async (domain: string) => {
        const subdomain = recall(domain);
        return subdomain === null ? null : { subdomain };
      } };
      const { basePath } = config.http;
      const own = ownNames(config);
      const hosts = new HostRouter({ domains: cachedDomains, recall, own, basePath, clock });
      const find = startupPages(readers, baseUrl);
      return async (request: IncomingMessage) => {
        await hosts.rewrite(request);
        return find(request);
      };
    },
  };
}

function ownNames({ http: { baseUrl }, statusPages: { domain } }: ControllerPorts['config']): InstallationNames {
  return { pageDomain: domain, baseHost: baseUrl === null ? null : new URL(baseUrl).hostname };
}

interface PageSources {
  accounts: Pick<Accounts, 'notifyOwners'>;
  monitors: Pick<Monitors, 'deps'>;
  subscribers: Pick<Subscribers, 'ofPages'>;
  publicPages: PublicPageReaders;
}

export type StatusPages = ReturnType<typeof openStatusPages>;

/** Status pages, and what they show their readers. */
export function openStatusPages(ports: ControllerPorts, sources: PageSources) {
  const { config, stores, signals, clock, log, peers, holder, random, baseUrl } = ports;
  const { accounts: { notifyOwners }, subscribers, publicPages } = sources;
  const { snapshots, readers } = publicPages;
  const { incidents, windows, pages, freedSubdomains: freed, posts, pageDomains: domains, visits } = stores;
  const { monitors, readers: { statistics, dailyUptimes, history }, quota } = sources.monitors.deps;
  const own = ownNames(config);
  const { basePath } = config.http;
  const hosts = new HostRouter({ domains, recall: publicPages.recallDomain, own, basePath, clock });
  const naming = {
    pages, freed, domains, own, lookUpRecords: createNameRecords(config.statusPages.nameServers, clock),
    domainChanged: (domain: string) => hosts.forget(domain),
  };
  const notifySubscribers = signals.postPublished.emit;
  const counter = new VisitCounter({ visits, pages, clock, log });
  const streams = new PageStreams({ pages: readers, clock, random });
  const domainChecks = new DomainChecks({ ...naming, notifyOwners, clock, log, holder });
  const follower = new IncidentFollower({
    incidents, clock, log, peers, holder,
    posting: { pages, posts, notifySubscribers },
  });
  signals.incidentsChanged.on(follower.trigger);
  const badges = new MonitorBadges({ pages, pageCache: readers, clock });
  const changed = (subdomain: string, isPublished: boolean) => {
    readers.invalidate(subdomain, isPublished);
    badges.clear();
  };
  const shown = { pages, posts, monitors, statistics, dailyUptimes, history, windows };
  const deps = {
    ...shown, ...naming, visits, quota, changed, subscribers: subscribers.ofPages, notifySubscribers,
    incidents,
    followIncidents: follower.trigger,
  };
  return {
    deps, hosts, domainChecks, counter, streams, follower,
    snapshots: createSnapshotRefresh({ pages, pageCache: readers, snapshots, clock, log }),
    /** Waits for the snapshots that are being written. */
    snapshotWrites: { stop: () => publicPages.settled() },
    fastResponses: fastPageResponses(readers),
    /** From now on readers get pages as they are. */
    connect: () => readers.connect((subdomain) => readPublicPage(shown, subdomain, clock.now())),
    routes: [
      ...pageRoutes(deps), ...domainRoutes(deps), ...postRoutes(deps),
      ...publicPageRoutes(readers), ...detailRoutes(shown, readers, clock),
      ...liveRoutes(readers, streams), ...syndicationRoutes({ badges, pageCache: readers, baseUrl }),
    ],
  };
}
