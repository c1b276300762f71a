import type { Db } from 'mongodb';
import type { Claim } from '../../../shared/claims.ts';
import { ownedBy, type Tenant } from '../../accounts/tenant.ts';
import { claimedAs, notHeld } from '../../platform/mongo/claim-filters.ts';
import { DocumentsById } from '../../platform/mongo/documents.ts';
import { restoring } from '../../platform/mongo/null-fields.ts';
import type { PageDomainDoc } from './page-domain.ts';

type Checked = Pick<PageDomainDoc, 'due_at' | 'failing_since'>;

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

  /** Those that are not `held` under these claims, most overdue first. */
  due(now: number, limit: number, held: readonly string[]): Promise<PageDomainDoc[]> {
    const due = this.select({ due_at: { $lte: now }, ...notHeld(held) });
    return due.sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Null when it is no longer as it was seen. */
  claim(seen: PageDomainDoc, claim: Claim): Promise<PageDomainDoc | null> {
    const { _id, due_at } = seen;
    return this.change({ _id, due_at, ...claimedAs(seen) }, { $set: { claim } });
  }

  /** Without effect when the claim was lost. */
  async settle(claimed: PageDomainDoc, change: Checked): Promise<void> {
    const isOurs = { _id: claimed._id, ...claimedAs(claimed) };
    await this.update(isOurs, { $set: change, $unset: { claim: '' } });
  }

  /** DNS has just named this page, whoever else asks. Without effect when the domain is another page's. */
  async confirm({ _id, page_id }: PageDomainDoc, change: Checked): Promise<void> {
    await this.update({ _id, page_id }, { $set: change, $unset: { claim: '' } });
  }

  /** The page has lost it, at the end of a claim. False, and without effect, when that was lost. */
  giveUp(claimed: PageDomainDoc): Promise<boolean> {
    return this.remove({ _id: claimed._id, ...claimedAs(claimed) });
  }

  /** False, and without effect, when it is another page's. */
  release({ _id, page_id }: Pick<PageDomainDoc, '_id' | 'page_id'>): Promise<boolean> {
    return this.remove({ _id, page_id });
  }

  async releaseOfPage(tenant: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ ...ownedBy(tenant), page_id: pageId });
  }
}
