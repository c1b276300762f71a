import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../../access/tenant.ts';
import { claimedAs } from '../../work/claimed-work.ts';
import { DueDocuments } from '../../platform/mongo/due-documents.ts';
import { restoring } from '../../platform/mongo/documents.ts';
import type { PageDomainDoc } from './page-domain.ts';

type CheckOutcome = Pick<PageDomainDoc, 'due_at' | 'failing_since'>;

/** Collection `status_page_domains`. A domain belongs to at most one page. */
export class PageDomainStore extends DueDocuments<PageDomainDoc> {
  constructor(db: Db) {
    super(db, 'status_page_domains', [
      // For repeated DNS checks.
      { key: { due_at: 1 }, name: 'due' },
      // For releasing a page's domain.
      { key: { page_id: 1 }, name: 'of_page' },
    ], restoring<PageDomainDoc>({ failing_since: null }));
  }

  /** Records a successful DNS check, whatever its claim. No effect if the domain belongs to another page. */
  async confirm({ _id, page_id }: PageDomainDoc, change: CheckOutcome): Promise<void> {
    await this.update({ _id, page_id }, { $set: change, $unset: { claim: '' } });
  }

  /** Deletes the page's lost domain. False, without effect, if the claim was lost. */
  giveUp(claimed: PageDomainDoc): Promise<boolean> {
    return this.remove(claimedAs(claimed));
  }

  /** False, without effect, if it belongs to another page. */
  release({ _id, page_id }: Pick<PageDomainDoc, '_id' | 'page_id'>): Promise<boolean> {
    return this.remove({ _id, page_id });
  }

  async releaseOfPage(tenant: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ ...ownedBy(tenant), page_id: pageId });
  }
}
