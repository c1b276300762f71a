import type { Db } from 'mongodb';
import type { Tenant } from '../../access/tenant.ts';
import { claimedAs } from '../../work/claimed-work.ts';
import { DueDocuments } from '../../platform/mongo/due-documents.ts';
import { removeOlder } from '../../platform/mongo/documents.ts';
import { insertMissing } from '../../platform/mongo/mongo-errors.ts';
import type { NoticeDoc } from '../notice.ts';

/** Collection `subscriber_notices`. */
export class NoticeStore extends DueDocuments<NoticeDoc> {
  constructor(db: Db) {
    super(db, 'subscriber_notices', [
      // Finds notices that still have recipients.
      { key: { due_at: 1 }, name: 'due', sparse: true },
      { key: { page_id: 1 }, name: 'page' },
      // For removing the oldest.
      { key: { created_at: 1 }, name: 'age' },
    ]);
  }

  add(notices: NoticeDoc[]): Promise<void> {
    return insertMissing(this.all, notices);
  }

  /**
   * Records that the outbox contains recipients up to `cursor`; other notices come first. No effect if the
   * claim was lost.
   */
  async advance(claimed: NoticeDoc, cursor: string, now: number): Promise<void> {
    await this.settle(claimed, { cursor, due_at: now });
  }

  /** Records that the outbox contains all recipients. No effect if the claim was lost. */
  async finish(claimed: NoticeDoc): Promise<void> {
    await this.update(claimedAs(claimed), { $unset: { claim: '', due_at: '' } });
  }

  async deleteOfPage({ organizationId }: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, page_id: pageId });
  }

  /** Removes up to `limit` documents older than `before` (Unix ms); returns how many. */
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.all, before, limit);
  }
}
