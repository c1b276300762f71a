import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../../accounts/tenant.ts';
import { claimedAs } from '../../platform/mongo/claim-filters.ts';
import { DueDocuments } from '../../platform/mongo/due-documents.ts';
import { restoring } from '../../platform/mongo/null-fields.ts';
import type { PageDomainDoc } from './page-domain.ts';

type CheckOutcome = Pick<PageDomainDoc, 'due_at' | 'failing_since'>;

/** Collection `status_page_domains`. A domain has at most one page. */
export class PageDomainStore extends DueDocuments<PageDomainDoc> {
  constructor(db: Db) {
    super(db, 'status_page_domains', [
      // DNS is asked about them again.
      { key: { due_at: 1 }, name: 'due' },
      // A page gives its domain back.
      { key: { page_id: 1 }, name: 'of_page' },
    ], restoring<PageDomainDoc>({ failing_since: null }));
  }

  /** Without effect when the claim was lost. */
  async settle(claimed: PageDomainDoc, change: CheckOutcome): Promise<void> {
    await this.update(claimedAs(claimed), { $set: change, $unset: { claim: '' } });
  }

  /** DNS has just named this page, whoever else asks. Without effect when the domain is another page's. */
  async confirm({ _id, page_id }: PageDomainDoc, change: CheckOutcome): Promise<void> {
    await this.update({ _id, page_id }, { $set: change, $unset: { claim: '' } });
  }

  /** The page has lost it, at the end of a claim. False, and without effect, when that was lost. */
  giveUp(claimed: PageDomainDoc): Promise<boolean> {
    return this.remove(claimedAs(claimed));
  }

  /** False, and without effect, when it is another page's. */
  release({ _id, page_id }: Pick<PageDomainDoc, '_id' | 'page_id'>): Promise<boolean> {
    return this.remove({ _id, page_id });
  }

  async releaseOfPage(tenant: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ ...ownedBy(tenant), page_id: pageId });
  }
}
