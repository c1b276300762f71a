import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { MonitorDeps } from '../monitors/deps.ts';
import { createNameRecords } from '../platform/outbound/name-records.ts';
import { DomainChecks } from '../status-pages/domains/domain-checks.ts';
import { domainRoutes } from '../status-pages/domains/domain-routes.ts';
import type { OwnNames } from '../status-pages/domains/domain-rules.ts';
import { PageDomainStore } from '../status-pages/domains/domain-store.ts';
import { IncidentFollower } from '../status-pages/posts/incident-follower.ts';
import { PostStore } from '../status-pages/posts/post-store.ts';
import { followIncident } from '../status-pages/posts/verbs/follow-incident.ts';
import { postRoutes } from '../status-pages/posts/post-routes.ts';
import { detailRoutes } from '../status-pages/public/detail-routes.ts';
import { HostPages } from '../status-pages/public/host-pages.ts';
import { liveRoutes } from '../status-pages/public/live-routes.ts';
import { PageSnapshots } from '../status-pages/public/page-snapshots.ts';
import { PageStreams } from '../status-pages/public/page-streams.ts';
import { PublicPages } from '../status-pages/public/public-pages.ts';
import { earlyPages, publicPageRoutes, quickPages } from '../status-pages/public/public-routes.ts';
import { readPublicPage } from '../status-pages/public/read-public-page.ts';
import { snapshotRounds } from '../status-pages/public/snapshot-rounds.ts';
import { spreadRoutes } from '../status-pages/public/spread-routes.ts';
import type { PageDeps, PageSubscribers } from '../status-pages/deps.ts';
import { pageRoutes } from '../status-pages/routes.ts';
import { VisitCounter } from '../status-pages/visits/visit-counter.ts';
import { VisitStore } from '../status-pages/visits/visit-store.ts';
import type { Accounts } from './accounts.ts';
import type { Incidents } from './incidents.ts';
import type { ControllerPorts } from './ports.ts';

export type PublicPageReaders = ReturnType<typeof openPublicPages>;

/** Pages as readers get them: at first what the disk knows. */
export function openPublicPages({ config, clock, log }: Pick<ControllerPorts, 'config' | 'clock' | 'log'>) {
  const snapshots = new PageSnapshots({ dir: join(config.dataDir, 'status-pages'), clock, log });
  const readers = new PublicPages({ clock, last: snapshots });
  const own = ownNames(config);
  // Custom domains are in the database.
  const hosts = new HostPages({ domains: { find: () => Promise.resolve(null) }, own, clock });
  const find = earlyPages(readers);
  const early = async (request: IncomingMessage) => {
    await hosts.place(request);
    return find(request);
  };
  return { snapshots, readers, early };
}

function ownNames({ http: { baseUrl }, statusPages: { domain } }: ControllerPorts['config']): OwnNames {
  return { pageDomain: domain, baseHost: baseUrl === null ? null : new URL(baseUrl).hostname };
}

interface PageSources extends Pick<PageDeps, 'told'> {
  accounts: Pick<Accounts, 'pages' | 'tellOwners'>;
  incidents: Incidents['store'];
  windows: PageDeps['windows'];
  /** Of links, without a slash at its end. */
  baseUrl(): string;
  publicPages: PublicPageReaders;
}

export type StatusPages = Awaited<ReturnType<typeof openStatusPages>>;

/** Status pages, and what they tell their readers. */
export async function openStatusPages(
  ports: ControllerPorts,
  { accounts: { pages, tellOwners }, incidents, windows, told, baseUrl: linkBase, publicPages }: PageSources,
) {
  const { config, mongo: { db }, clock, log, company, random } = ports;
  const { snapshots, readers } = publicPages;
  const [posts, domains, visits] = [new PostStore(db), new PageDomainStore(db), new VisitStore(db)];
  await Promise.all([pages, posts, domains, visits].map((store) => store.ensureIndexes()));
  const own = ownNames(config);
  const hosts = new HostPages({ domains, own, clock });
  const naming = {
    pages, domains, own, ask: createNameRecords(config.statusPages.nameServers),
    domainChanged: (domain: string) => hosts.forget(domain),
  };
  const counter = new VisitCounter({ visits, pages, clock, log });
  const streams = new PageStreams({ pages: readers, clock, random });
  const domainChecks = new DomainChecks({ ...naming, tellOwners, clock, log });
  return {
    posts, domainChecks, counter, snapshots, streams,
    rounds: snapshotRounds({ pages, readers, snapshots, clock, log }),
    /** Leads a request for the host of a page there, and counts visits. Never rejects. */
    place: (request: IncomingMessage): Promise<void> | undefined => {
      const placing = hosts.place(request);
      if (placing === undefined) counter.note(request);
      return placing?.then(() => counter.note(request));
    },
    follower: new IncidentFollower({
      incidents, clock, log, company,
      follow: (incident) => followIncident({ pages, posts, told }, incident, clock.now()),
    }),
    over: (
      { monitors, readers: { statistics, pastDays, history }, quota }: MonitorDeps,
      subscribers: PageSubscribers,
    ) => {
      const shown = { pages, posts, monitors, statistics, pastDays, history, windows };
      const changed = (subdomain: string, isPublished: boolean) => readers.changed(subdomain, isPublished);
      const deps = { ...shown, ...naming, visits, quota, changed, subscribers, told };
      return {
        deps,
        quick: quickPages(readers),
        /** From now on readers get pages as they are. */
        connect: () => readers.connect((subdomain) => readPublicPage(shown, subdomain, clock.now())),
        routes: [
          ...pageRoutes(deps), ...domainRoutes(deps), ...postRoutes(deps),
          ...publicPageRoutes(readers), ...detailRoutes(shown, readers, clock),
          ...liveRoutes(readers, streams), ...spreadRoutes({ pages, readers, baseUrl: linkBase }),
        ],
      };
    },
  };
}
