import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../../accounts/tenant.ts';
import { DocumentsById } from '../../platform/mongo/documents.ts';
import { restoring } from '../../platform/mongo/null-fields.ts';
import type { PageDomainDoc } from './page-domain.ts';

/** Collection `status_page_domains`. A domain has at most one page. */
export class PageDomainStore extends DocumentsById<PageDomainDoc> {
  constructor(db: Db) {
    super(db, 'status_page_domains', [
      // DNS is asked about them again.
      { key: { due_at: 1 }, name: 'due' },
      // A page gives its domain back.
      { key: { page_id: 1 }, name: 'of_page' },
    ], restoring<PageDomainDoc>({ failing_since: null }));
  }

  /** Most overdue first. */
  due(now: number, limit: number): Promise<PageDomainDoc[]> {
    return this.select({ due_at: { $lte: now } }).sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Nobody else finds it due before `until`. Null when another controller was first, or it is gone. */
  claim({ _id, due_at }: PageDomainDoc, until: number): Promise<PageDomainDoc | null> {
    return this.change({ _id, due_at }, { $set: { due_at: until } });
  }

  /** Without effect when it has become another page's meanwhile. */
  async settle(
    { _id, page_id }: PageDomainDoc, change: Pick<PageDomainDoc, 'due_at' | 'failing_since'>,
  ): Promise<void> {
    await this.update({ _id, page_id }, { $set: change });
  }

  /** False, and without effect, when it is another page's. */
  release({ _id, page_id }: Pick<PageDomainDoc, '_id' | 'page_id'>): Promise<boolean> {
    return this.remove({ _id, page_id });
  }

  async releaseOfPage(tenant: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ ...ownedBy(tenant), page_id: pageId });
  }
}
