import type { Db } from 'mongodb';
import type { Tenant } from '../../accounts/tenant.ts';
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

  /** Those that are longest due first. */
  due(now: number, limit: number): Promise<NoticeDoc[]> {
    return this.select({ due_at: { $lte: now } }).sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Keeps others from going on with it until then; null if one of them was first. */
  claim({ _id, due_at }: NoticeDoc, until: number): Promise<NoticeDoc | null> {
    return this.change({ _id, due_at }, { $set: { due_at: until } });
  }

  /** The outbox has it for everybody up to `cursor`; others come first. */
  async goOn({ _id, cursor }: NoticeDoc, to: string, now: number): Promise<void> {
    await this.update({ _id, cursor }, { $set: { cursor: to, due_at: now } });
  }

  async end({ _id, cursor }: NoticeDoc): Promise<void> {
    await this.update({ _id, cursor }, { $unset: { due_at: '' } });
  }

  async deleteOfPage({ organizationId }: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, page_id: pageId });
  }

  /** Removes at most `limit` that are older than `before` (Unix ms); returns how many. */
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.all, before, limit);
  }
}
