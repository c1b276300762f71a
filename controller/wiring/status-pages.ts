import type { IncomingMessage } from 'node:http';
import type { MonitorDeps } from '../monitors/deps.ts';
import { createNameRecords } from '../platform/outbound/name-records.ts';
import { DomainChecks } from '../status-pages/domains/domain-checks.ts';
import { domainRoutes } from '../status-pages/domains/domain-routes.ts';
import { PageDomainStore } from '../status-pages/domains/domain-store.ts';
import { IncidentFollower } from '../status-pages/posts/incident-follower.ts';
import { PostStore } from '../status-pages/posts/post-store.ts';
import { followIncident } from '../status-pages/posts/verbs/follow-incident.ts';
import { postRoutes } from '../status-pages/posts/post-routes.ts';
import { detailRoutes } from '../status-pages/public/detail-routes.ts';
import { HostPages } from '../status-pages/public/host-pages.ts';
import { PublicPages, type LastPages } from '../status-pages/public/public-pages.ts';
import { publicPageRoutes, quickPages } from '../status-pages/public/public-routes.ts';
import { readPublicPage } from '../status-pages/public/read-public-page.ts';
import { spreadRoutes } from '../status-pages/public/spread-routes.ts';
import type { PageDeps, PageSubscribers } from '../status-pages/deps.ts';
import { pageRoutes } from '../status-pages/routes.ts';
import { VisitCounter } from '../status-pages/visits/visit-counter.ts';
import { VisitStore } from '../status-pages/visits/visit-store.ts';
import type { Accounts } from './accounts.ts';
import type { Incidents } from './incidents.ts';
import type { ControllerPorts } from './ports.ts';

const NOTHING_KNOWN: LastPages =
  { recall: () => Promise.resolve(null), keep: () => undefined, remove: () => undefined };

interface PageSources extends Pick<PageDeps, 'told'> {
  accounts: Pick<Accounts, 'pages' | 'tellOwners'>;
  incidents: Incidents['store'];
  windows: PageDeps['windows'];
  /** Of links, without a slash at its end. */
  baseUrl(): string;
}

export type StatusPages = Awaited<ReturnType<typeof openStatusPages>>;

/** Status pages, and what they tell their readers. */
export async function openStatusPages(
  ports: ControllerPorts,
  { accounts: { pages, tellOwners }, incidents, windows, told, baseUrl: linkBase }: PageSources,
) {
  const { config: { http: { baseUrl }, statusPages }, mongo: { db }, clock, log, company } = ports;
  const [posts, domains, visits] = [new PostStore(db), new PageDomainStore(db), new VisitStore(db)];
  await Promise.all([pages, posts, domains, visits].map((store) => store.ensureIndexes()));
  const own = {
    pageDomain: statusPages.domain, baseHost: baseUrl === null ? null : new URL(baseUrl).hostname,
  };
  const hosts = new HostPages({ domains, own, clock });
  const naming = {
    pages, domains, own, ask: createNameRecords(statusPages.nameServers),
    domainChanged: (domain: string) => hosts.forget(domain),
  };
  const counter = new VisitCounter({ visits, pages, clock, log });
  const domainChecks = new DomainChecks({ ...naming, tellOwners, clock, log });
  return {
    posts, domainChecks, counter,
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
      const readers = new PublicPages({
        clock, read: (subdomain) => readPublicPage(shown, subdomain, clock.now()), last: NOTHING_KNOWN,
      });
      const changed = (subdomain: string, isPublished: boolean) => readers.changed(subdomain, isPublished);
      const deps = { ...shown, ...naming, visits, quota, changed, subscribers, told };
      return {
        quick: quickPages(readers),
        routes: [
          ...pageRoutes(deps), ...domainRoutes(deps), ...postRoutes(deps),
          ...publicPageRoutes(readers), ...detailRoutes(shown, readers, clock),
          ...spreadRoutes({ pages, readers, baseUrl: linkBase }),
        ],
      };
    },
  };
}
