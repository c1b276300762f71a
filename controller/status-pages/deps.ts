import type { Tenant } from '../access/tenant.ts';
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
  /** The existing ones among `ids`, with only the fields that pages show: they are read every second. */
  shown(tenant: Tenant, ids: string[]): Promise<ShownMonitor[]>;
}

export interface PageSubscribers {
  /** Subscribers who receive notices. */
  countVerified(pageId: string): Promise<number>;
  deleteOfPage(tenant: Tenant, pageId: string): Promise<void>;
}

/** A maintenance window shown on a page, with its current and next occurrences (Unix ms). */
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
  /**
   * Schedules posts from `due` (Unix ms) on for these monitors' open incidents that their pages have not
   * posted.
   */
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
  /** Called when a post has changed and subscribers must be notified. */
  notifySubscribers(): void;
  quota: Pick<Quota, 'reserve' | 'release' | 'limitsOf'>;
  /** Shows the change to readers of this controller at once, not after the usual second. */
  changed(subdomain: string, isPublished: boolean): void;
  /** Like `changed`, for a custom domain. */
  domainChanged(domain: string): void;
}
