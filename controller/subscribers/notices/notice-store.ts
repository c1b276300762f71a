import type { Db } from 'mongodb';
import type { Claim } from '../../../shared/claims.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import { claimedAs, notHeld } from '../../platform/mongo/claim-filters.ts';
import { DocumentsById } from '../../platform/mongo/documents.ts';
import { removeOlder } from '../../platform/mongo/remove-older.ts';
import { insertAbsent } from '../../platform/mongo/upsert-ahead.ts';
import type { NoticeDoc } from './notice.ts';

/** Collection `subscriber_notices`. */
export class NoticeStore extends DocumentsById<NoticeDoc> {
  constructor(db: Db) {
    super(db, 'subscriber_notices', [
      // Those that somebody has still to be told of.
      { key: { due_at: 1 }, name: 'due', sparse: true },
      { key: { page_id: 1 }, name: 'page' },
      // Removing the oldest.
      { key: { created_at: 1 }, name: 'age' },
    ]);
  }

  add(notices: NoticeDoc[]): Promise<void> {
    return insertAbsent(this.all, notices);
  }

  /** Those that are not `held` under these claims, longest due first. */
  due(now: number, limit: number, held: readonly string[] = []): Promise<NoticeDoc[]> {
    const due = this.select({ due_at: { $lte: now }, ...notHeld(held) });
    return due.sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Keeps others from going on with it; null if it is no longer as it was seen. */
  claim(seen: NoticeDoc, claim: Claim): Promise<NoticeDoc | null> {
    const { _id, due_at } = seen;
    return this.change({ _id, due_at, ...claimedAs(seen) }, { $set: { claim } });
  }

  /** The outbox has it up to `cursor`; others come first. Without effect if the claim was lost. */
  async goOn(claimed: NoticeDoc, cursor: string, now: number): Promise<void> {
    const isOurs = { _id: claimed._id, ...claimedAs(claimed) };
    await this.update(isOurs, { $set: { cursor, due_at: now }, $unset: { claim: '' } });
  }

  /** The outbox has it for everybody. Without effect if the claim was lost. */
  async end(claimed: NoticeDoc): Promise<void> {
    await this.update({ _id: claimed._id, ...claimedAs(claimed) }, { $unset: { claim: '', due_at: '' } });
  }

  async deleteOfPage({ organizationId }: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, page_id: pageId });
  }

  /** Removes at most `limit` that are older than `before` (Unix ms); returns how many. */
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.all, before, limit);
  }
}
