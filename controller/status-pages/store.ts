import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, each, restoring } from '../platform/mongo/documents.ts';
import type { Component, PageDoc } from './page.ts';

/** Pages listed per project; no plan allows more. */
const MAX_LISTED_PAGES = 1000;

type Identity = '_id' | 'organization_id' | 'project_id' | 'subdomain' | 'created_at';
export type PageChange = Partial<Omit<PageDoc, Identity>>;

/** Collection `status_pages`, without deleted pages. */
export class PageStore extends Documents<PageDoc> {
  constructor(db: Db) {
    super(db, 'status_pages', [
      // Ensures that subdomains are unique, and finds the page for a reader.
      { key: { subdomain: 1 }, name: 'subdomain', unique: true },
      // Lists a project's pages.
      { key: { organization_id: 1, project_id: 1, created_at: -1, _id: -1 }, name: 'list' },
      // Iterates over all published pages for their snapshots.
      { key: { status: 1, _id: 1 }, name: 'published' },
      // Finds the pages that show a monitor with an incident.
      { key: { organization_id: 1, project_id: 1, 'components.monitor_id': 1 }, name: 'by_monitor' },
      // Finds the published pages that show a monitor, for its badge.
      { key: { 'components.monitor_id': 1, status: 1 }, name: 'by_shown_monitor' },
    ], restoring<PageDoc>({
      description: null, google_analytics_id: null, custom_domain: null, verified_domain: null,
      branding: null, last_published_at: null,
    }, { components: each(restoring<Component>({ display_name: null, group_name: null })) }));
  }

  /** Newest first. */
  list(tenant: Tenant): Promise<PageDoc[]> {
    return this.select(ownedBy(tenant)).sort({ created_at: -1, _id: -1 }).limit(MAX_LISTED_PAGES).toArray();
  }

  /** A page of any project of the organization: callers must check the project. */
  findOfOrganization(organizationId: string, id: string): Promise<PageDoc | null> {
    return this.findOne({ _id: id, organization_id: organizationId });
  }

  /** A published page, which anyone may read. */
  findPublished(subdomain: string): Promise<PageDoc | null> {
    return this.findOne({ subdomain, status: 'published' });
  }

  /** Subdomains of published pages of any tenant that show this monitor, oldest page first. */
  async showing(monitorId: string): Promise<string[]> {
    const pages = await this.select({ 'components.monitor_id': monitorId, status: 'published' })
      .sort({ created_at: 1, _id: 1 }).limit(MAX_LISTED_PAGES).toArray();
    const isShown = ({ components }: PageDoc) =>
      components.some((component) => component.monitor_id === monitorId && component.is_visible);
    return pages.filter(isShown).map(({ subdomain }) => subdomain);
  }

  /** Published pages with automatic posts that list one of these monitors, even if hidden. */
  postingOn(tenant: Tenant, monitorIds: string[]): Promise<PageDoc[]> {
    return this.select({
      ...ownedBy(tenant), 'components.monitor_id': { $in: monitorIds }, status: 'published',
      auto_publish_enabled: true,
    }).limit(MAX_LISTED_PAGES).toArray();
  }

  /** Records whether DNS proves the page's domain. No effect if the page has another domain by now. */
  async markVerified(
    { _id, organization_id, project_id }: Pick<PageDoc, '_id' | 'organization_id' | 'project_id'>,
    domain: string, isVerified: boolean,
  ): Promise<void> {
    const change = { $set: { verified_domain: isVerified ? domain : null } };
    await this.update({ _id, organization_id, project_id, custom_domain: domain }, change);
  }

  /** Ids of the published pages among `subdomains`, by subdomain. */
  async publishedIds(subdomains: string[]): Promise<Map<string, string>> {
    if (subdomains.length === 0) return new Map();
    const found = await this.select({ subdomain: { $in: subdomains }, status: 'published' }).toArray();
    return new Map(found.map(({ subdomain, _id }) => [subdomain, _id]));
  }

  /** Published pages with ids greater than `id`, sorted by id. */
  publishedAfter(id: string, limit: number): Promise<Pick<PageDoc, '_id' | 'subdomain'>[]> {
    return this.all.find({ status: 'published', _id: { $gt: id } }, { projection: { subdomain: 1 } })
      .sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Returns those of the subdomains that pages of any tenant use. */
  async takenOf(subdomains: string[]): Promise<Set<string>> {
    if (subdomains.length === 0) return new Set();
    const found = await this.select({ subdomain: { $in: subdomains } }).toArray();
    return new Set(found.map(({ subdomain }) => subdomain));
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId });
  }

  async hasAny(tenant: Tenant): Promise<boolean> {
    return (await this.findOne(ownedBy(tenant))) !== null;
  }

  /** The page after the change; null if it no longer exists. */
  set(tenant: Tenant, id: string, change: PageChange): Promise<PageDoc | null> {
    return this.change({ ...ownedBy(tenant), _id: id }, { $set: change });
  }

  /** Publishes a page; null if it no longer exists. Keeps the time of the first publication. */
  async publish(tenant: Tenant, id: string, now: number): Promise<PageDoc | null> {
    const owned = { ...ownedBy(tenant), _id: id };
    await this.update({ ...owned, last_published_at: null }, { $set: { last_published_at: now } });
    return this.change(owned, { $set: { status: 'published', updated_at: now } });
  }

  /** False if it no longer exists. */
  delete(tenant: Tenant, id: string): Promise<boolean> {
    return this.remove({ ...ownedBy(tenant), _id: id });
  }
  /** Deletes another organization's draft whose subdomain is reserved for this organization. */
  async dropDraftOfOthers(subdomain: string, organizationId: string): Promise<void> {
    await this.remove({ subdomain, organization_id: { $ne: organizationId }, status: 'draft' });
  }
}
