import type { Tenant } from '../accounts/tenant.ts';
import type { ShownMonitor } from '../monitors/monitor.ts';
import type { MonitorReaders } from '../monitors/ports.ts';
import type { Quota } from '../plans/quota.ts';
import type { PageDomainStore } from './domains/domain-store.ts';
import type { FreedSubdomainStore } from './freed-subdomain-store.ts';
import type { PostStore } from './posts/post-store.ts';
import type { PageStore } from './store.ts';
import type { VisitStore } from './visits/visit-store.ts';

/** The monitors of a project. */
interface ProjectMonitors {
  /** The living ones among `ids`, no more of each than pages show: they are read every second. */
  shown(tenant: Tenant, ids: string[]): Promise<ShownMonitor[]>;
}

/** Those who subscribe to a page. */
export interface PageSubscribers {
  /** Those who are told of something. */
  countVerified(pageId: string): Promise<number>;
  deleteOfPage(tenant: Tenant, pageId: string): Promise<void>;
}

/** A maintenance window that a page tells of, with its present occurrence and the next ones (Unix ms). */
export interface PageWindow {
  _id: string;
  title: string;
  description: string | null;
  monitor_ids: string[];
  occurrences: { starts_at: number; ends_at: number }[];
}

/** The maintenance windows of pages. */
interface PageWindows {
  ofPage(tenant: Tenant, pageId: string): Promise<PageWindow[]>;
}

/** The incidents that pages post. */
interface PageIncidents {
  /** Pages post the open incidents of these monitors from `due` (Unix ms) on, where they have not yet. */
  schedulePosting(tenant: Tenant, monitorIds: readonly string[], due: number, now: number): Promise<void>;
}

export interface PageDeps {
  pages: PageStore;
  freed: Pick<FreedSubdomainStore, 'reserve' | 'isReservedFor' | 'reservedForOthers'>;
  posts: PostStore;
  domains: Pick<PageDomainStore, 'releaseOfPage'>;
  visits: Pick<VisitStore, 'of'>;
  monitors: ProjectMonitors;
  statistics: MonitorReaders['statistics'];
  dailyUptimes: MonitorReaders['dailyUptimes'];
  history: Pick<MonitorReaders['history'], 'responseTimes'>;
  windows: PageWindows;
  subscribers: PageSubscribers;
  incidents: PageIncidents;
  /** Posts the incidents that are due now. */
  followIncidents(): void;
  /** A post says something new, which subscribers are to be told. */
  notifySubscribers(): void;
  quota: Pick<Quota, 'reserve' | 'release' | 'limitsOf'>;
  /** Readers of this controller must see the change of a page at once, not after the usual second. */
  changed(subdomain: string, isPublished: boolean): void;
  /** The same for a custom domain. */
  domainChanged(domain: string): void;
}
